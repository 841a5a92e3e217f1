/**
 * Test kits: `import { loadPlugin } from "hindcast/testing"` for authors of plugins, with any test runner, and
 * `import { suite } from "hindcast/testing"` for backends of the event log, which needs vitest 3.2 or later.
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

import type * as Conformance from "./events/testing.ts"

export type { SuiteOptions } from "./events/testing.ts"

/**
 * The conformance suite of event logs. A backend runs it with one line in a test file: `suite("my log", layer)`. The
 * layer must give a new, empty log each time it is built. Available only where vitest runs the file; throws elsewhere.
 */
export const suite: typeof Conformance.suite =
  // vitest cannot be imported outside its own runs, and need not be installed where another test runner is used.
  process.env.VITEST === undefined
    ? () => {
        throw new Error("suite: expected vitest to run this file, found another program. Run it by `npx vitest`.")
      }
    : (await import("./events/testing.ts")).suite
