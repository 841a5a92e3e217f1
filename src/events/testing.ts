/** The conformance suites of a backend: the log, and everything else that a kernel needs. */

import { Cause, Effect, Exit, Layer, type Scope } from "effect"
import { describe, it, type TestContext } from "vitest"
import type { EventLog } from "./log/EventLog.ts"
import type { Lease } from "./log/Lease.ts"
import type { Presence } from "./log/Presence.ts"
import type { Snapshots } from "./log/Snapshots.ts"
import type { PersonalData } from "./payload/PersonalData.ts"
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
import { attending } from "./testing/services/attending.ts"
import type { Backend, BackendTest } from "./testing/services/backend.ts"
import { keeping } from "./testing/services/keeping.ts"
import { leasing } from "./testing/services/leasing.ts"
import { recording } from "./testing/services/recording.ts"
import { snapshotting } from "./testing/services/snapshotting.ts"
import { storing } from "./testing/services/storing.ts"
import { verifying } from "./testing/verifying.ts"

export type { Backend, Elsewhere } from "./testing/services/backend.ts"

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
 * Runs the suite of the log: `suite("my log", layer)` in a test file. The layer must give a new, empty log each time it
 * is built.
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

const backendTest: BackendTest = (behaviour, body, timeout) => {
  it(behaviour, running(body), timeout)
}

/** Runs the suite of the lease. */
export const leaseSuite = <At>(name: string, backend: Backend<EventLog | Lease, At>): void => {
  describe(`lease: ${name}`, () => leasing(backendTest, backend))
}

/** Runs the suite of presence. */
export const presenceSuite = <At>(name: string, backend: Backend<Presence, At>): void => {
  describe(`presence: ${name}`, () => attending(backendTest, backend))
}

/** Runs the suite of several programs' recorders of one stream. */
export const recorderSuite = <At>(name: string, backend: Backend<EventLog, At>): void => {
  describe(`recorders: ${name}`, () => recording(backendTest, backend))
}

/** Runs the suite of snapshots. */
export const snapshotsSuite = <At>(name: string, backend: Backend<EventLog | Snapshots | PersonalData, At>): void => {
  describe(`snapshots: ${name}`, () => snapshotting(backendTest, backend))
}

/** Runs the suite of personal data and its keys. */
export const personalDataSuite = <At>(
  name: string,
  backend: Backend<EventLog | Snapshots | PersonalData, At>,
): void => {
  describe(`personal data: ${name}`, () => keeping(backendTest, backend))
}

/** Runs the suite of large payloads. */
export const blobsSuite = <At>(name: string, backend: Backend<EventLog, At>): void => {
  describe(`blobs: ${name}`, () => storing(backendTest, backend))
}

/** Everything that a kernel needs of a backend. */
export type BackendServices = EventLog | Lease | Presence | Snapshots | PersonalData

/**
 * Runs all suites of a backend.
 *
 * @example backendSuite("my log", { place: newFile, open: (filename) => layer({ filename }), crash: endSessions })
 */
export const backendSuite = <At>(
  name: string,
  backend: Backend<BackendServices, At>,
  options: SuiteOptions = {},
): void => {
  suite(name, Layer.unwrapScoped(Effect.map(backend.place, backend.open)), options)
  recorderSuite(name, backend)
  leaseSuite(name, backend)
  presenceSuite(name, backend)
  snapshotsSuite(name, backend)
  personalDataSuite(name, backend)
  blobsSuite(name, backend)
}

/**
 * Runs an effect as a vitest test, in a scope and with the real clock. Throws the original error, so that vitest shows
 * how values differ. Interrupts a test that exceeds its time-out. (`@effect/vitest` does the same, but supports only
 * one version of vitest.)
 */
const running =
  <E>(effect: Effect.Effect<void, E, Scope.Scope>) =>
  async ({ signal }: Pick<TestContext, "signal">): Promise<void> => {
    const exit = await Effect.runPromiseExit(Effect.scoped(effect), { signal })
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  }
