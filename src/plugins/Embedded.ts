/** Contents of files of Hindcast's package, embedded for programs that bundle Hindcast. */
export interface Embedded {
  /** The text of the runner, as JavaScript. */
  readonly runner: string
  /** The text of the module that computes `precomputed` bytes, as JavaScript. */
  readonly precompute: string
  /** The names of the shipped plugins, by their digests. */
  readonly shipped: { readonly [digest: string]: string }
}

/**
 * Undefined in the sources, which read the files themselves. In the build, `scripts/shipped.mjs` replaces this module by one
 * that has the contents, so that a bundled program contains them in its single file.
 */
export const EMBEDDED: Embedded | undefined = undefined
