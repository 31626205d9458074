/** Under which heading of the help a command stands. */
export const sections: Readonly<Record<string, string>> = {
  ...under('Start', ['init', 'dev', 'server', 'worker']),
  ...under('Jobs', [
    'submit',
    'list',
    'show',
    'tree',
    'logs',
    'watch',
    'cancel',
    'retry',
    'complete',
    'fail',
    'emit',
    'events',
  ]),
  ...under('Control', ['pause', 'resume', 'pauses', 'workers']),
  ...under('Database', ['verify', 'migrate', 'archive', 'transfer', 'bench']),
  ...under('Help', ['doctor', 'completion']),
}

function under(section: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, section]))
}

/** First words of commands that have two. */
export const commandGroups = {
  group: { section: 'Records', summary: 'Groups: many jobs treated as one.' },
  schedule: { section: 'Records', summary: 'Schedules: jobs at certain times.' },
  template: { section: 'Records', summary: 'Templates: recipes for similar jobs.' },
  slot: { section: 'Records', summary: 'Slots: values that somebody provides later.' },
  limit: { section: 'Control', summary: 'Limits: how many jobs at once, and how often.' },
  keys: { section: 'Control', summary: 'Keys: who may use the server, and for what.' },
} as const

export type CommandGroup = keyof typeof commandGroups
