/**
 * What is used of `@effect/sql-sqlite-node`, which is an optional dependency: where its driver cannot be compiled it is not
 * installed, and Hindcast is built and used all the same.
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
