/** JSON values. */

/** Any JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** A command's arguments, or an environment's options. */
export type JsonObject = { readonly [key: string]: Json }
