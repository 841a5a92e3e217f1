/** Counts failed attempts to sign in, by address and by account, and refuses further ones for a while. */

/** Attempts within `WINDOW_MS` that may fail: from one subscriber's addresses, and for one account from all. */
export const MOST_BY_ADDRESS = 10
export const MOST_BY_ACCOUNT = 30

const WINDOW_MS = 15 * 60_000

/** Maximum number of addresses and accounts in memory. Beyond it, nobody new may try until a window ends. */
const MAX_KEYS = 20_000

export class FailedSignIns {
  readonly #counts = new Map<string, { tries: number; readonly until: number }>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * Counts an attempt before its password is checked, so that parallel attempts count too.
   *
   * @returns undefined, or the seconds to wait
   */
  begin(address: string, account: string): number | undefined {
    const now = this.#now()
    const keys = [
      [`address ${address}`, MOST_BY_ADDRESS],
      [`account ${account}`, MOST_BY_ACCOUNT],
    ] as const
    if (this.#counts.size >= MAX_KEYS) {
      for (const [key, { until }] of this.#counts) if (until <= now) this.#counts.delete(key)
    }
    for (const [key, most] of keys) {
      const known = this.#counts.get(key)
      if (known !== undefined && known.until > now && known.tries >= most) return secondsTo(known.until, now)
      if (known === undefined && this.#counts.size >= MAX_KEYS) return secondsTo(now + WINDOW_MS, now)
    }
    for (const [key] of keys) {
      const known = this.#counts.get(key)
      if (known !== undefined && known.until > now) known.tries += 1
      else this.#counts.set(key, { tries: 1, until: now + WINDOW_MS })
    }
    return undefined
  }

  /** Takes an attempt back that succeeded. */
  succeeded(address: string, account: string): void {
    for (const key of [`address ${address}`, `account ${account}`]) {
      const known = this.#counts.get(key)
      if (known === undefined) continue
      known.tries -= 1
      if (known.tries <= 0) this.#counts.delete(key)
    }
  }
}

const secondsTo = (until: number, now: number): number => Math.max(1, Math.ceil((until - now) / 1000))
