/** Records the tools of LangChain JS (`@langchain/core`, version 1). */

import * as Options from "../../values/Options.ts"
import type { Run } from "../Run.ts"
import * as FrameworkTools from "./FrameworkTools.ts"

/** The members of a `StructuredTool` in use. Every kind of tool implements `_call`. */
interface Tool {
  readonly name: string
  readonly description?: unknown
  readonly _call: (input: unknown, ...besides: ReadonlyArray<unknown>) => unknown
}

/**
 * Wraps LangChain tools as tools of the run, for `bindTools`, a `ToolNode` or `createAgent`. Each call whose input fits
 * the tool's schema is a command that passes the gate, and a replay returns its recorded outcome. A refused call
 * rejects with `ToolDenied`. `run.fetch` records the models; pass it in their `configuration`. For a generator, only
 * the return value is recorded; yielded values are dropped.
 *
 * @param options per tool name, such as the risk
 * @example
 * const model = new ChatOpenAI({ configuration: { fetch: run.fetch } })
 * const agent = createAgent({ model, tools: langChainTools(run, [price, order]) })
 */
export const langChainTools = <Tool extends object>(
  run: Pick<Run, "tool">,
  tools: ReadonlyArray<Tool>,
  options: FrameworkTools.OptionsByTool = {},
): Array<Tool> => {
  const known = FrameworkTools.checked("langChainTools", Tools, { tools, options }, (tools) =>
    tools.map(({ name }) => name),
  )
  return known.map((tool) => {
    const does = async (input: unknown, ...besides: ReadonlyArray<unknown>) =>
      returnedBy(await tool._call(input, ...besides))
    const its = FrameworkTools.optionsOf(tool, options)
    const call = FrameworkTools.recorded(does, (does) => run.tool(tool.name, does, its))
    // Inherits from the tool, so that it stays an instance of its class.
    return Object.create(tool, { _call: { value: call } }) as Tool
  })
}

const Tools = Options.kind<ReadonlyArray<Tool>>(
  "a list of LangChain tools, each with a name",
  (value) => Array.isArray(value) && value.every(Options.has("name", "_call")),
)

const returnedBy = async (answer: unknown): Promise<unknown> => {
  if (!isGenerator(answer)) return answer
  let next = await answer.next()
  while (next.done !== true) next = await answer.next()
  return next.value
}

const isGenerator = (answer: unknown): answer is AsyncGenerator<unknown, unknown> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer && "next" in answer
