/** Tiers and layers of confinement, the strongest first. */

/**
 * The strength of a plugin's confinement.
 *
 * - `namespaces`: Deno's permissions, a disk with only the readable paths, no network and no other processes.
 * - `flags`: Deno's permissions, no new privileges, death with the host, and no link out of the readable paths.
 */
export type Tier = "namespaces" | "flags"

/**
 * The operating system's part in confining a plugin, besides Deno's permissions.
 *
 * - `bubblewrap`: namespaces, made by bwrap(1).
 * - `unshare`: the same namespaces, made by unshare(1) of util-linux.
 * - `user`: a user without files of its own, if the kernel runs as root.
 * - `none`: nothing confines a plugin that finds a hole in Deno's permissions.
 */
export type Layer = "bubblewrap" | "unshare" | "user" | "none"

/** The strongest first. */
export const LAYERS = ["bubblewrap", "unshare", "user", "none"] as const satisfies ReadonlyArray<Layer>

/** A layer's tier. */
export const tierOf = (layer: Layer): Tier => (layer === "bubblewrap" || layer === "unshare" ? "namespaces" : "flags")
