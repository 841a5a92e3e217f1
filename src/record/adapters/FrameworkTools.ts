/** Shared parts of the framework adapters. They import no framework and name only the members they use. */

import { AsyncLocalStorage } from "node:async_hooks"
import { Schema } from "effect"
import * as Options from "../../values/Options.ts"
import * as RecordOptions from "../RecordOptions.ts"
import type { Recorded, ToolOptions } from "../Run.ts"

/** Tool options by tool name. The default `description` is the tool's own. */
export type OptionsByTool = Readonly<Record<string, ToolOptions>>

/** A framework's function: the recorded input, and further arguments such as a signal. */
type Does<Input, Besides extends ReadonlyArray<unknown>, Result> = (input: Input, ...besides: Besides) => Result

/**
 * Records a framework's function: the first argument is recorded, the others pass through.
 *
 * @param record wraps a function of one argument, as `run.tool` does
 */
export const recorded = <Input, Besides extends ReadonlyArray<unknown>, Result>(
  does: Does<Input, Besides, Result>,
  record: (does: (input: Input) => Result) => Recorded<[Input], Result>,
): Does<Input, Besides, Promise<Awaited<Result>>> => {
  const calls = new AsyncLocalStorage<Besides>()
  const recording = record((input) => {
    const besides = calls.getStore()
    if (besides === undefined) throw new Error("unreachable: it is called by the function below alone")
    return does(input, ...besides)
  })
  return (input, ...besides) => calls.run(besides, () => recording(input))
}

export const optionsOf = (
  tool: { readonly name: string; readonly description?: unknown },
  options: OptionsByTool,
): ToolOptions => ({ ...(isText(tool.description) ? { description: tool.description } : {}), ...options[tool.name] })

const isText = Schema.is(Options.Text)

/**
 * Checks an adapter's arguments. Throws `InvalidOptions` if they are not tools, or if options name an unknown tool.
 *
 * @param of the adapter's name
 * @param names returns the names of the recorded tools
 */
export const checked = <Tools>(
  of: string,
  expected: Schema.Schema<Tools>,
  given: { readonly tools: unknown; readonly options: OptionsByTool },
  names: (tools: Tools) => ReadonlyArray<string>,
): Tools => {
  const { tools } = given
  RecordOptions.orThrow(Options.decode(of, Schema.Struct({ tools: expected }), { tools }))
  // Returns the originals: decoding copies, and frameworks compare tools by identity.
  if (!Schema.is(expected)(tools)) throw new Error("unreachable: the tools were checked")
  const asked = Object.keys(given.options).map((name) => ({ name, keys: [name] }))
  const problems = Options.unknownNames("tool", names(tools), asked)
  if (problems.length > 0) throw new Options.InvalidOptions({ of, problems })
  return tools
}
