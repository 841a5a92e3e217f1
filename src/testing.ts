/**
 * Test kits: `import { loadPlugin, checkWorld } from "hindcast/testing"` for authors of plugins and of worlds, `replayed` and `forked` for
 * programs whose runs were recorded, with any test runner; `worldSuite` for worlds and `suite` for backends of the event log, which need vitest 3.2 or later.
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

export type { SuiteOptions } from "./events/testing.ts"

/**
 * The conformance suite of event logs. A backend runs it with one line in a test file: `suite("my log", layer)`. The
 * layer must give a new, empty log each time it is built. Available only where vitest runs the file; throws elsewhere.
 */
export const suite: typeof Conformance.suite =
  // vitest cannot be imported outside its own runs, and need not be installed where another test runner is used.
  process.env.VITEST === undefined ? () => outsideOfVitest("suite") : (await import("./events/testing.ts")).suite

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
