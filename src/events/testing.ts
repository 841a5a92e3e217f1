/** The conformance suite that every backend of the event log must pass. */

import { Cause, Effect, Exit, type Layer, type Scope } from "effect"
import { describe, it, type TestContext } from "vitest"
import type { EventLog } from "./log/EventLog.ts"
import { appending } from "./testing/appending.ts"
import { carrying } from "./testing/carrying.ts"
import { contending } from "./testing/contending.ts"
import { following } from "./testing/following.ts"
import type { Test } from "./testing/given.ts"
import { interleaving } from "./testing/interleaving.ts"
import { reading } from "./testing/reading.ts"
import { refusing } from "./testing/refusing.ts"
import { type Reopen, reopening, type TestReopened } from "./testing/reopening.ts"
import { sealing } from "./testing/sealing.ts"
import { selecting } from "./testing/selecting.ts"
import { verifying } from "./testing/verifying.ts"

/** Capabilities of a backend that its layer does not show. */
export interface SuiteOptions {
  /** For logs that outlive their process: opens the same log again. Without it, reopening is not tested. */
  readonly reopen?: Reopen
}

const TESTS = [
  appending,
  contending,
  interleaving,
  refusing,
  carrying,
  sealing,
  reading,
  selecting,
  following,
  verifying,
]

/**
 * Runs the suite. A backend uses it with one line in a test file: `suite("my log", layer)`. The layer must give a new,
 * empty log each time it is built.
 */
export const suite = <E>(name: string, layer: Layer.Layer<EventLog, E>, { reopen }: SuiteOptions = {}): void => {
  const test: Test = (behaviour, body, timeout) => it(behaviour, running(Effect.provide(body, layer)), timeout)

  describe(`event log: ${name}`, () => {
    for (const tests of TESTS) tests(test)
    if (reopen === undefined) return
    const testReopened: TestReopened = (behaviour, body) => it(behaviour, running(Effect.flatMap(reopen, body)))
    reopening(testReopened)
  })
}

/**
 * Runs an effect as a test of vitest, in a scope and with the real clock. Throws the original error, so that vitest shows
 * how values differ. A test that exceeds its timeout is interrupted. (`@effect/vitest` does the same, but supports only
 * one version of vitest.)
 */
const running =
  <E>(effect: Effect.Effect<void, E, Scope.Scope>) =>
  async ({ signal }: Pick<TestContext, "signal">): Promise<void> => {
    const exit = await Effect.runPromiseExit(Effect.scoped(effect), { signal })
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  }
