/** A seeded generator (sfc32): the same seed gives the same numbers on every machine, for ever. */
export class Random {
  readonly #seed: number
  #a: number
  #b: number
  #c: number
  #count = 1

  constructor(seed: number) {
    this.#seed = seed >>> 0
    this.#a = this.#seed
    this.#b = 0x9e3779b9
    this.#c = 0x243f6a88
    // Seeds that differ in one bit give numbers that look alike at first.
    for (let i = 0; i < 15; i++) this.u32()
  }

  u32(): number {
    const sum = (this.#a + this.#b + this.#count) | 0
    this.#count = (this.#count + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** From 0 to below 1. */
  float(): number {
    return this.u32() / 2 ** 32
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.float() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.float() < probability
  }

  pick<T>(items: readonly [T, ...T[]]): T
  pick<T>(items: readonly T[]): T | undefined
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.float() * items.length)]
  }

  /** A UUID of version 7, as a process whose clock shows `now` would make it. */
  uuid(now: number): string {
    const time = now.toString(16).padStart(12, '0')
    const rest = [this.u32(), this.u32(), this.u32()].map((word) => word.toString(16).padStart(8, '0')).join('')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`
  }

  /**
   * A generator of its own for one part of a simulation. It follows from the seed and the name alone, so what one part
   * draws never shifts what another draws, and a change in one leaves the rest of a run as it was.
   */
  fork(name: string): Random {
    return new Random(mixText(this.#seed, name))
  }
}

/** Folds a text into a hash of 32 bits (FNV-1a). */
export function mixText(hash: number, text: string): number {
  let mixed = hash
  for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 0x01000193)
  return mixed >>> 0
}

export function mixNumber(hash: number, value: number): number {
  // Virtual times are larger than 32 bits.
  const low = Math.imul(hash ^ (value >>> 0), 0x01000193)
  return Math.imul(low ^ Math.floor(value / 2 ** 32), 0x01000193) >>> 0
}
