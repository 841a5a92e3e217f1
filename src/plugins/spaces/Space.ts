/**
 * Sets of observations or actions: Gymnasium's spaces in Minari's JSON, with infinities as text. This module and its
 * imports are pure and have no dependencies: they run in Node, Deno and browsers.
 */

export type { Space } from "../author.ts"
export { contains } from "./contains.ts"
export { type Flat, flatdim, flatten } from "./flatten.ts"
export { type Flaw, flaws, isSpace } from "./flaws.ts"
export { jsonSchemaOf } from "./jsonSchemaOf.ts"
export { maskFlaw } from "./maskFlaw.ts"
export { sample } from "./sample.ts"
