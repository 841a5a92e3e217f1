/**
 * The part of `@effect/sql-sqlite-node` that Hindcast uses. Hindcast must build and run without this optional
 * dependency, which is missing where its driver cannot be compiled.
 */
declare module "@effect/sql-sqlite-node/SqliteClient" {
  import type { Reactivity } from "@effect/experimental/Reactivity"
  import type { SqlClient } from "@effect/sql/SqlClient"
  import type { Effect, Scope } from "effect"

  export const make: (options: {
    readonly filename: string
    readonly readonly: boolean
    readonly disableWAL: boolean
  }) => Effect.Effect<SqlClient, never, Scope.Scope | Reactivity>
}
