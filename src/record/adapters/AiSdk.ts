/** Records the tools of the AI SDK (`ai`, versions 5 and 6). */

import * as Options from "../../values/Options.ts"
import type { Run } from "../Run.ts"
import * as FrameworkTools from "./FrameworkTools.ts"

/** A tool without `execute` runs at the provider, or the program answers it. */
interface Tool {
  readonly description?: unknown
  readonly execute?: unknown
}

type Execute = (input: unknown, options: unknown) => unknown

type ToolSet = Readonly<Record<string, Tool>>

/**
 * Wraps AI SDK tools as tools of the run, for `generateText`, `streamText` or an `Agent`. Each call is a command that
 * passes the gate, and a replay returns its recorded outcome. A refused call becomes a tool error that the model reads.
 * `run.fetch` records the models. For a tool that yields, the last value is its result and earlier ones are dropped.
 *
 * @param options per tool name, such as the risk
 * @example
 * const model = createOpenAI({ fetch: run.fetch })("gpt-5")
 * const { text } = await generateText({ model, prompt, tools: aiSdkTools(run, tools) })
 */
export const aiSdkTools = <Tools extends object>(
  run: Pick<Run, "tool">,
  tools: Tools,
  options: FrameworkTools.OptionsByTool = {},
): Tools => {
  const known = FrameworkTools.checked("aiSdkTools", Tools, { tools, options }, executable)
  const recorded = Object.entries(known).map(([name, tool]) => {
    if (!isExecutable(tool)) return [name, tool]
    const { execute } = tool
    const does = async (input: unknown, besides: unknown) => lastOf(await execute.call(tool, input, besides))
    const its = FrameworkTools.optionsOf({ name, description: tool.description }, options)
    return [name, { ...tool, execute: FrameworkTools.recorded(does, (does) => run.tool(name, does, its)) }]
  })
  // Safe: only `execute` is replaced.
  return Object.fromEntries(recorded) as Tools
}

const isExecutable = (tool: Tool): tool is Tool & { readonly execute: Execute } => typeof tool.execute === "function"

const executable = (tools: ToolSet): ReadonlyArray<string> =>
  Object.entries(tools).flatMap(([name, tool]) => (isExecutable(tool) ? [name] : []))

const Tools = Options.kind<ToolSet>(
  "an object that maps names to tools",
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((tool) => typeof tool === "object" && tool !== null),
)

const lastOf = async (answer: unknown): Promise<unknown> => {
  if (!isPieces(answer)) return answer
  let last: unknown
  for await (const piece of answer) last = piece
  return last
}

const isPieces = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer
