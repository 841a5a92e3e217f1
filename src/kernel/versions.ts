/**
 * Hindcast's version, equal to that in `package.json`. A constant, because a program that bundles Hindcast has no such
 * file.
 */
export const VERSION = "0.3.1"
