/**
 * The part of `@effect/sql-sqlite-node` that Hindcast uses. It is an optional dependency: where its driver cannot be
 * compiled, it is not installed, and Hindcast must still build and run.
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
