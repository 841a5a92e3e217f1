/**
 * Test kits. For any test runner: `loadPlugin` and `checkWorld` for authors of plugins and worlds, `replayed` and
 * `forked` for programs with recorded runs. For vitest 3.2 or later: `worldSuite` for worlds, `backendSuite` for
 * backends of the event log.
 *
 * @module hindcast/testing
 */

export type { CallPluginOptions, LoadPluginOptions } from "./plugins/testing/TestOptions.ts"
export {
  type Answers,
  type BrokeredCall,
  type Files,
  type GivenTask,
  type LogLine,
  loadPlugin,
  type PushedReading,
  type TestPlugin,
} from "./plugins/testing/TestPlugin.ts"

export type { CheckOutcome, Finding, Report } from "./worlds/conformance/Conformance.ts"
export { type CheckWorldOptions, checkWorld } from "./worlds/testing/checkWorld.ts"

import type * as Conformance from "./events/testing.ts"
import type * as Forked from "./record/fork/Forked.ts"
import type { Run } from "./record/Run.ts"
import type * as ReplayedRun from "./record/replay/ReplayedRun.ts"
import type * as WorldSuite from "./worlds/testing/worldSuite.ts"

export type { Backend, BackendServices, Elsewhere, SuiteOptions } from "./events/testing.ts"

/**
 * The conformance suite of event logs. A backend runs it with one line in a test file: `suite("my log", layer)`. The
 * layer must give a new, empty log each time it is built. Throws outside vitest.
 */
export const suite: typeof Conformance.suite =
  // vitest can be imported only in its own runs, and other test runners need not install it.
  process.env.VITEST === undefined ? () => outsideOfVitest("suite") : (await import("./events/testing.ts")).suite

/**
 * The conformance suites of everything that a kernel needs of a backend: the log, recorders, lease, presence,
 * snapshots, personal data and blobs. Each is also a suite of its own. `Backend` says how to open a log and what can
 * happen to it. Throws outside vitest.
 */
export const backendSuite: typeof Conformance.backendSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("backendSuite")
    : (await import("./events/testing.ts")).backendSuite

/** The part of `backendSuite` for several recorders of one stream. */
export const recorderSuite: typeof Conformance.recorderSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("recorderSuite")
    : (await import("./events/testing.ts")).recorderSuite

/** The part of `backendSuite` for the lease, and for the fence that stops appends of a kernel that lost it. */
export const leaseSuite: typeof Conformance.leaseSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("leaseSuite")
    : (await import("./events/testing.ts")).leaseSuite

/** The part of `backendSuite` for presence, through which writers know of one another. */
export const presenceSuite: typeof Conformance.presenceSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("presenceSuite")
    : (await import("./events/testing.ts")).presenceSuite

/** The part of `backendSuite` for snapshots. */
export const snapshotsSuite: typeof Conformance.snapshotsSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("snapshotsSuite")
    : (await import("./events/testing.ts")).snapshotsSuite

/** The part of `backendSuite` for personal data and its keys. */
export const personalDataSuite: typeof Conformance.personalDataSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("personalDataSuite")
    : (await import("./events/testing.ts")).personalDataSuite

/** The part of `backendSuite` for large payloads. */
export const blobsSuite: typeof Conformance.blobsSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("blobsSuite")
    : (await import("./events/testing.ts")).blobsSuite

/**
 * The conformance checks of a world as tests, after Gymnasium's `check_env` and PettingZoo's tests:
 * `worldSuite("./cart-pole")`. Throws outside vitest.
 */
export const worldSuite: typeof WorldSuite.worldSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("worldSuite")
    : (await import("./worlds/testing/worldSuite.ts")).worldSuite

/** Runs a program on a run that `hindcast/record` recorded, without a network. */
export const replayed = async <A>(
  recorded: ReplayedRun.RecordedRun,
  program: (run: Run) => A | PromiseLike<A>,
): Promise<A> => (await import("./record/replay/ReplayedRun.ts")).replayed(recorded, program)

/** Runs a program on a recorded run up to a moment, then continues live on a new timeline. */
export const forked = async <A>(
  options: Forked.ForkOptions,
  program: (run: Run) => A | PromiseLike<A>,
): Promise<Forked.Forked<A>> => (await import("./record/fork/Forked.ts")).forked(options, program)

function outsideOfVitest(name: string): never {
  throw new Error(`${name}: expected vitest to run this file, found another program. Run it with \`npx vitest\`.`)
}
