/** What Hindcast otherwise reads from files of its own package. */
export interface Embedded {
  /** The text of the runner, as JavaScript. */
  readonly runner: string
  /** The text of the module that computes `precomputed` bytes, as JavaScript. */
  readonly precompute: string
  /** Which plugins came with this package, by their digests. */
  readonly shipped: { readonly [digest: string]: string }
}

/**
 * It is there in the build, whose module `scripts/shipped.mjs` writes anew, so that a program that Hindcast was bundled into has it
 * in its one file. The sources have their files beside them.
 */
export const EMBEDDED: Embedded | undefined = undefined
