/** Files of Hindcast's package as text, for programs that bundle Hindcast into one file. */
export interface Embedded {
  /** The runner, as JavaScript. */
  readonly runner: string
  /** The module that computes `precomputed` bytes, as JavaScript. */
  readonly precompute: string
  /** Names of the shipped plugins, by digest. */
  readonly shipped: { readonly [digest: string]: string }
}

/**
 * Undefined in the sources, which read the files from the disk. In the build, `scripts/shipped.mjs` replaces this
 * module with one that holds their contents.
 */
export const EMBEDDED: Embedded | undefined = undefined
