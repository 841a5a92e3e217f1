/** Records tools and hand-offs of the OpenAI Agents SDK (`@openai/agents`, version 0.3). */

import { jsonOf } from "../../providers/BodyPieces.ts"
import * as Options from "../../values/Options.ts"
import { type Run, ToolDenied } from "../Run.ts"
import * as FrameworkTools from "./FrameworkTools.ts"

/** Tools of any other type run at the provider. */
interface FunctionTool {
  readonly type: "function"
  readonly name: string
  readonly description?: unknown
  readonly invoke: (context: unknown, input: string, details?: unknown) => unknown
}

type Tool = FunctionTool | { readonly type: string }

/**
 * Wraps an agent's tools as tools of the run, for `new Agent`. Each call is a command that passes the gate, and a
 * replay returns its recorded outcome. For a refused call, the model reads the reason. `run.fetch` records the models;
 * pass it to the client of `setDefaultOpenAIClient`.
 *
 * @param options per tool name, such as the risk
 * @example
 * setDefaultOpenAIClient(new OpenAI({ fetch: run.fetch }))
 * setTraceProcessors([openAiAgentsTracing(run)])
 * const agent = new Agent({ name: "clerk", tools: openAiAgentsTools(run, [price, order]) })
 */
export const openAiAgentsTools = <Tool extends object>(
  run: Pick<Run, "tool">,
  tools: ReadonlyArray<Tool>,
  options: FrameworkTools.OptionsByTool = {},
): Array<Tool> => {
  const known = FrameworkTools.checked("openAiAgentsTools", Tools, { tools, options }, (tools) =>
    tools.filter(isFunction).map(({ name }) => name),
  )
  // Safe: only `invoke` is replaced.
  return known.map((tool) =>
    isFunction(tool) ? recorded(run, tool, options) : tool,
  ) as ReadonlyArray<object> as Array<Tool>
}

const recorded = (run: Pick<Run, "tool">, tool: FunctionTool, options: FrameworkTools.OptionsByTool): FunctionTool => {
  const does = (_args: unknown, context: unknown, input: string, details: unknown) =>
    tool.invoke(context, input, details)
  const its = FrameworkTools.optionsOf(tool, options)
  const call = FrameworkTools.recorded(does, (does) => run.tool(tool.name, does, its))
  const invoke = async (context: unknown, input: string, details?: unknown) => {
    try {
      // The SDK passes arguments as the model's JSON text.
      return await call(jsonOf(input) ?? input, context, input, details)
    } catch (error) {
      if (error instanceof ToolDenied) return error.message
      throw error
    }
  }
  return { ...tool, invoke }
}

const isFunction = (tool: Tool): tool is FunctionTool => tool.type === "function"

const Tools = Options.kind<ReadonlyArray<Tool>>(
  "a list of tools with types; function tools with a name and invoke",
  (value) =>
    Array.isArray(value) &&
    value.every((tool) => Options.has("type")(tool) && (!isFunction(tool) || Options.has("name", "invoke")(tool))),
)

interface Span {
  readonly spanId: string
  readonly spanData: {
    readonly type: string
    readonly name?: string
    readonly from_agent?: string
    readonly to_agent?: string
  }
  readonly error?: { readonly message: string } | null
}

/** A processor for `setTraceProcessors` or `addTraceProcessor`. */
export interface AgentsTracing {
  readonly onTraceStart: (trace: unknown) => Promise<void>
  readonly onTraceEnd: (trace: unknown) => Promise<void>
  readonly onSpanStart: (span: Span) => Promise<void>
  readonly onSpanEnd: (span: Span) => Promise<void>
  readonly shutdown: () => Promise<void>
  readonly forceFlush: () => Promise<void>
}

/**
 * Records which agents ran and who handed over to whom, as `io` calls `agent` and `handoff` that a replay expects
 * again. They pass no gate, since the SDK only reports them. Models and tools are not recorded twice. The SDK reports
 * nothing while tracing is disabled, which `NODE_ENV=test` does.
 */
export const openAiAgentsTracing = (run: Pick<Run, "io">): AgentsTracing => {
  const working = new Map<string, (ended: Span) => void>()
  const agent = FrameworkTools.recorded(
    async (_: { readonly agent: string }, ended: Promise<Span>) => outcomeOf(await ended),
    (does) => run.io("agent", does),
  )
  const handoff = FrameworkTools.recorded(
    async (_: { readonly from: string; readonly to: string }, span: Span) => outcomeOf(span),
    (does) => run.io("handoff", does),
  )
  return {
    onSpanStart: async (span) => {
      const { type, name = "" } = span.spanData
      if (type !== "agent") return
      const ended = new Promise<Span>((resolve) => working.set(span.spanId, resolve))
      inBackground(agent({ agent: name }, ended))
    },
    onSpanEnd: async (span) => {
      const { type, from_agent: from = "", to_agent: to = "" } = span.spanData
      if (type === "handoff") inBackground(handoff({ from, to }, span))
      working.get(span.spanId)?.(span)
      working.delete(span.spanId)
    },
    onTraceStart: nothing,
    onTraceEnd: nothing,
    shutdown: nothing,
    forceFlush: nothing,
  }
}

const nothing = async () => {}

const outcomeOf = ({ error }: Span): null => {
  if (error !== undefined && error !== null) throw new Error(error.message)
  return null
}

/** Nothing awaits a span. The program gets its agent's error itself, and the next call reports a failed log. */
const inBackground = (told: Promise<null>) => void told.catch(() => {})
