/**
 * Test kits: `import { loadPlugin, checkWorld } from "hindcast/testing"` for authors of plugins and of worlds, `replayed` and `forked` for
 * programs whose runs were recorded, with any test runner; `worldSuite` for worlds and `backendSuite` for backends of the event log, which need vitest 3.2 or later.
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

export type { Finding, Report, Verdict } from "./worlds/conformance/Conformance.ts"
export { type CheckWorldOptions, checkWorld } from "./worlds/testing/checkWorld.ts"

import type * as Conformance from "./events/testing.ts"
import type * as Forked from "./record/fork/Forked.ts"
import type { Run } from "./record/Run.ts"
import type * as ReplayedRun from "./record/replay/ReplayedRun.ts"
import type * as WorldSuite from "./worlds/testing/worldSuite.ts"

export type { Backend, BackendServices, Elsewhere, SuiteOptions } from "./events/testing.ts"

/**
 * The conformance suite of event logs. A backend runs it with one line in a test file: `suite("my log", layer)`. The
 * layer must give a new, empty log each time it is built. Available only where vitest runs the file; throws elsewhere.
 */
export const suite: typeof Conformance.suite =
  // vitest cannot be imported outside its own runs, and need not be installed where another test runner is used.
  process.env.VITEST === undefined ? () => outsideOfVitest("suite") : (await import("./events/testing.ts")).suite

/**
 * The conformance suites of everything that a kernel needs of a backend: the log, and recorders, lease, presence, snapshots, personal
 * data and blobs, which each have a suite of their own too. `Backend` says how a log is opened, and what can happen to it there.
 * Available only where vitest runs the file; throws elsewhere.
 */
export const backendSuite: typeof Conformance.backendSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("backendSuite")
    : (await import("./events/testing.ts")).backendSuite

/** The suite of several recorders of one stream: one of those of `backendSuite`. */
export const recorderSuite: typeof Conformance.recorderSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("recorderSuite")
    : (await import("./events/testing.ts")).recorderSuite

/** The suite of the lease, with the fence that keeps a kernel which lost it from appending: one of those of `backendSuite`. */
export const leaseSuite: typeof Conformance.leaseSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("leaseSuite")
    : (await import("./events/testing.ts")).leaseSuite

/** The suite of presence, by which writers know of one another: one of those of `backendSuite`. */
export const presenceSuite: typeof Conformance.presenceSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("presenceSuite")
    : (await import("./events/testing.ts")).presenceSuite

/** The suite of snapshots: one of those of `backendSuite`. */
export const snapshotsSuite: typeof Conformance.snapshotsSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("snapshotsSuite")
    : (await import("./events/testing.ts")).snapshotsSuite

/** The suite of personal data and its keys: one of those of `backendSuite`. */
export const personalDataSuite: typeof Conformance.personalDataSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("personalDataSuite")
    : (await import("./events/testing.ts")).personalDataSuite

/** The suite of large payloads: one of those of `backendSuite`. */
export const blobsSuite: typeof Conformance.blobsSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("blobsSuite")
    : (await import("./events/testing.ts")).blobsSuite

/**
 * The conformance checks of a world as tests: what Gymnasium's `check_env` and PettingZoo's tests check. A world runs them
 * with one line in a test file: `worldSuite("./cart-pole")`. Available only where vitest runs the file; throws elsewhere.
 */
export const worldSuite: typeof WorldSuite.worldSuite =
  process.env.VITEST === undefined
    ? () => outsideOfVitest("worldSuite")
    : (await import("./worlds/testing/worldSuite.ts")).worldSuite

/** Runs a program on a run that `hindcast/record` recorded: without a network, and with any test runner. */
export const replayed = async <A>(
  recorded: ReplayedRun.RecordedRun,
  program: (run: Run) => A | PromiseLike<A>,
): Promise<A> => (await import("./record/replay/ReplayedRun.ts")).replayed(recorded, program)

/** Runs a program on a run that `hindcast/record` recorded up to a moment, and goes on from there in a timeline of its own. */
export const forked = async <A>(
  options: Forked.ForkOptions,
  program: (run: Run) => A | PromiseLike<A>,
): Promise<Forked.Forked<A>> => (await import("./record/fork/Forked.ts")).forked(options, program)

function outsideOfVitest(name: string): never {
  throw new Error(`${name}: expected vitest to run this file, found another program. Run it by \`npx vitest\`.`)
}
