/** `hindcast acp record` between an editor and the real programs of agents that speak ACP, which ask a scripted model. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Readable, Writable } from "node:stream"
import * as acp from "@agentclientprotocol/sdk"
import { describe, expect, it } from "vitest"
import * as ScriptedModel from "../../src/hooks/check/ScriptedModel.ts"
import { MAIN } from "../built.ts"
import { eventsOf } from "../record/recorded.ts"
import { codingAgents, RUNS_HERE } from "./codingAgents.ts"

const homeOf = codingAgents()

const RULES =
  "rules:\n  - { name: no-deleting, shell: ['rm *'], decision: deny, reason: Not here }\n  - { name: ask, shell: ['touch *'], decision: confirm }\ndefault: allow\n"

interface Agent {
  readonly command: ReadonlyArray<string>
  readonly tool: string
  /** A refusal may end the turn. Then the model's next call comes with the next prompt. */
  readonly prompts: ReadonlyArray<string>
  readonly variables: (url: string, home: string) => Readonly<Record<string, string>>
}

const AGENTS: Readonly<Record<string, Agent>> = {
  gemini: {
    command: ["gemini", "--acp", "--skip-trust", "-m", "gemini-2.5-flash"],
    tool: "run_shell_command",
    prompts: ["Do it"],
    variables: (url, home) => {
      const file = path.join(home, "system.json")
      fs.writeFileSync(file, JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }))
      return { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "scripted", GEMINI_CLI_SYSTEM_SETTINGS_PATH: file }
    },
  },
  opencode: {
    command: ["opencode", "acp"],
    tool: "bash",
    prompts: ["Do it", "Then do the other"],
    variables: (url) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: "hindcast/scripted",
        permission: { bash: "ask" },
        provider: {
          hindcast: {
            npm: "@ai-sdk/openai-compatible",
            name: "Scripted",
            options: { baseURL: `${url}/v1`, apiKey: "scripted" },
            models: { scripted: { name: "scripted", tool_call: true } },
          },
        },
      }),
    }),
  },
}

/** Runs a prompt in an editor that allows what it is asked. Returns what it was asked, and the events of the log. */
const edited = async (name: string, lines: ReadonlyArray<string>) => {
  const agent = AGENTS[name]
  if (agent === undefined) throw new Error(`expected an agent, found ${name}`)
  const { home, project, variables: own } = homeOf(`acp-${name}`)
  const model = await ScriptedModel.start(
    lines.map((command) => ({ tool: agent.tool, args: { command, description: "Does it" } })),
  )
  const log = path.join(home, "acp.db")
  const rules = path.join(home, "gate.yaml")
  fs.writeFileSync(rules, RULES)
  const words = ["acp", "record", "--log", log, "--gate", rules, "--", ...agent.command]
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: project,
    env: { ...process.env, ...own, ...agent.variables(model.url, home), NO_PROXY: "127.0.0.1", PWD: project },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const asked: Array<acp.RequestPermissionRequest> = []
  try {
    const app = acp
      .client({ name: "tested" })
      .onNotification("session/update", () => {})
      .onRequest("session/request_permission", ({ params }) => {
        asked.push(params)
        const option = params.options.find(({ kind }) => kind === "allow_once")
        return { outcome: { outcome: "selected", optionId: option?.optionId ?? "" } }
      })
    const streams = [Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)] as const
    const { agent: peer } = app.connect(
      acp.ndJsonStream(streams[0] as WritableStream<Uint8Array>, streams[1] as ReadableStream<Uint8Array>),
    )
    await peer.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await peer.request("session/new", { cwd: project, mcpServers: [] })
    for (const text of agent.prompts)
      await peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
    child.stdin.end()
    await ended
  } finally {
    child.kill("SIGKILL")
    await model.close()
  }
  return { asked, project, events: await eventsOf(log) }
}

describe.skipIf(!RUNS_HERE)("the real program of", () => {
  it.each(Object.keys(AGENTS))(
    "%s is recorded and gated over ACP: rules refuse, allow and ask the editor's person",
    async (name) => {
      const { asked, project, events } = await edited(name, ["rm -f kept.txt", "touch made.txt"])
      expect(asked).toHaveLength(1)
      expect(JSON.stringify(asked[0]?.toolCall)).toContain("touch made.txt")
      const [made] = fs.readdirSync(project).filter((file) => file === "made.txt")
      expect(made).toBe("made.txt")
      const of = (type: string) => events.filter((event) => event.type === type)
      expect(of("InputReceived").map(({ payload }) => payload.content)).toEqual(AGENTS[name]?.prompts)
      expect(of("CommandDenied").map(({ payload }) => payload.rule)).toEqual(["no-deleting"])
      expect(of("ConfirmationDecided").map(({ payload }) => payload.approved)).toEqual([true])
      expect(of("CommandSucceeded")).toHaveLength(1)
      const ends = ["CommandDenied", "CommandSucceeded", "CommandFailed", "CommandOutcomeUnknown"]
      for (const { payload } of of("ActuatorCommanded")) {
        const own = events.filter((one) => one.payload.commandId === payload.commandId && ends.includes(one.type))
        expect(own).toHaveLength(1)
      }
    },
    400_000,
  )
})
