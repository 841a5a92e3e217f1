/**
 * How a plugin is confined.
 *
 * - `namespaces`: Deno's permissions on a disk with nothing on it but what the plugin may read, without a network and
 *   without any other process.
 * - `flags`: Deno's permissions, no new privileges, death together with the host, and no link that leaves what it may read.
 */
export type Tier = "namespaces" | "flags"

/**
 * What of the operating system confines a plugin besides Deno's permissions, the strongest first.
 *
 * - `bubblewrap`: namespaces, made by bwrap(1).
 * - `unshare`: the same namespaces, made by unshare(1) of util-linux.
 * - `user`: a user that owns nothing, where the kernel runs as root.
 * - `none`: nothing. Deno's permissions stand alone, and a hole in them is a way out.
 */
export type Layer = "bubblewrap" | "unshare" | "user" | "none"

/** All of them, the strongest first. */
export const LAYERS = ["bubblewrap", "unshare", "user", "none"] as const satisfies ReadonlyArray<Layer>

/** The tier that a layer belongs to. */
export const tierOf = (layer: Layer): Tier => (layer === "bubblewrap" || layer === "unshare" ? "namespaces" : "flags")
