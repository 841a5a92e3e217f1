/** The tiers and layers of confinement, from the strongest to the weakest. */

/**
 * How strongly a plugin is confined.
 *
 * - `namespaces`: Deno's permissions, on a disk with only the paths that the plugin may read, without a network and
 *   without other processes.
 * - `flags`: Deno's permissions, no new privileges, death together with the host, and no link that leads out of the paths
 *   that the plugin may read.
 */
export type Tier = "namespaces" | "flags"

/**
 * The part of the operating system that confines a plugin in addition to Deno's permissions. The strongest comes first.
 *
 * - `bubblewrap`: namespaces, made by bwrap(1).
 * - `unshare`: the same namespaces, made by unshare(1) of util-linux.
 * - `user`: a user without files of its own, if the kernel runs as root.
 * - `none`: nothing. A plugin that finds a hole in Deno's permissions is not confined.
 */
export type Layer = "bubblewrap" | "unshare" | "user" | "none"

/** All layers, the strongest first. */
export const LAYERS = ["bubblewrap", "unshare", "user", "none"] as const satisfies ReadonlyArray<Layer>

/** The tier that a layer belongs to. */
export const tierOf = (layer: Layer): Tier => (layer === "bubblewrap" || layer === "unshare" ? "namespaces" : "flags")
