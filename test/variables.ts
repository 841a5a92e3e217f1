import { Effect } from "effect"

/** Runs an effect with another value of an environment variable, or without it. */
export const withVariable =
  (name: string, value: string | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const before = process.env[name]
        setVariable(name, value)
        return before
      }),
      () => effect,
      (before) => Effect.sync(() => setVariable(name, before)),
    )

/** Sets an environment variable, or deletes it. */
export const setVariable = (name: string, value: string | undefined) => {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}
