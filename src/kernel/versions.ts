/** Hindcast's own version, as `package.json` says it: a program that Hindcast was bundled into has no such file. */
export const VERSION = "0.2.0"
