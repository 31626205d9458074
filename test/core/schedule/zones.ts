/** Zones whose clocks do unusual things, and times at which they do them. */
export const changes: readonly (readonly [zone: string, around: string])[] = [
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  // Half an hour.
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  // A whole day is left out.
  ['Pacific/Apia', '2011-12-30'],
  // At midnight.
  ['America/Havana', '2026-03-08'],
  ['America/Havana', '2026-11-01'],
  ['Africa/Cairo', '2026-04-24'],
  // Back over midnight, a minute into the new day.
  ['America/St_Johns', '2010-11-07'],
  ['America/St_Johns', '2010-03-14'],
  // Back from midnight.
  ['America/Sao_Paulo', '2018-02-18'],
  // From the last hour of a day into the next day.
  ['America/Nuuk', '2024-03-31'],
  // Two hours at once.
  ['Antarctica/Troll', '2026-03-29'],
  ['Antarctica/Troll', '2026-10-25'],
  // For a month a year, by the moon.
  ['Africa/Casablanca', '2026-02-15'],
  ['Africa/Casablanca', '2026-03-22'],
  // Quarters of an hour, in the southern summer.
  ['Pacific/Chatham', '2026-04-05'],
  ['Pacific/Chatham', '2026-09-27'],
  // Always the same.
  ['Asia/Kathmandu', '2026-03-29'],
]
