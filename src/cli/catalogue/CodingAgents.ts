/** Commands that record and gate coding agents. */
import { command, type Entry } from "./Entry.ts"

export const CODING_AGENTS: ReadonlyArray<Entry> = [
  {
    path: "hooks install",
    uses: [
      ["hooks install CLIENT", "record each session of a coding agent; with --gate FILE, rules decide which calls run"],
    ],
    example: "hooks install claude-code --gate hindcast.gate.yaml",
    page: "docs/guides/gate-a-coding-agent.md",
    load: command(async () => (await import("../hooks/InstallCommands.ts")).install),
  },
  {
    path: "hooks uninstall",
    uses: [["hooks uninstall CLIENT", "remove the hooks from the agent's settings"]],
    example: "hooks uninstall claude-code",
    load: command(async () => (await import("../hooks/InstallCommands.ts")).uninstall),
  },
  {
    path: "hooks check",
    uses: [["hooks check CLIENT", "run the agent against a scripted model, and see that its hooks hold"]],
    example: "hooks check claude-code",
    page: "docs/guides/gate-a-coding-agent.md",
    load: command(async () => (await import("../hooks/CheckCommand.ts")).check),
  },
  {
    path: "hooks status",
    uses: [["hooks status", "which coding agents have the hooks, and what these enforce and miss"]],
    example: "hooks status",
    page: "docs/guides/gate-a-coding-agent.md",
    load: command(async () => (await import("../hooks/StatusCommand.ts")).status),
  },
  {
    path: "hooks serve",
    uses: [["hooks serve", "run the hook server in this terminal; without it, the first hook starts one"]],
    example: "hooks serve --log sessions.db",
    load: command(async () => (await import("../hooks/ServeCommand.ts")).serve),
  },
  {
    path: "gate try",
    uses: [
      [
        "gate try --rules FILE --since 30d",
        "test gate rules on recorded commands: what they would have decided, next to the real decisions",
      ],
    ],
    example: "gate try --rules hindcast.gate.yaml --since 30d",
    page: "docs/guides/gate-a-coding-agent.md",
    load: command(async () => (await import("../gate/TryCommand.ts")).tryRules),
  },
  {
    path: "gate suggest",
    uses: [["gate suggest", "propose gate rules from people's approvals and refusals"]],
    example: "gate suggest",
    page: "docs/guides/gate-a-coding-agent.md",
    load: command(async () => (await import("../gate/SuggestCommand.ts")).suggest),
  },
  {
    path: "acp",
    uses: [["acp --model MODEL", "run an agent in an editor that speaks ACP: Zed, JetBrains …"]],
    example: "acp --model anthropic/claude-sonnet-4-5 --guide guide.yaml",
    page: "docs/guides/use-in-an-editor.md",
    load: command(async () => (await import("../acp/AgentCommand.ts")).agent),
  },
  {
    path: "acp record",
    uses: [["acp record -- AGENT", "record an ACP agent in your editor; with --gate FILE, rules decide"]],
    example: "acp record --gate hindcast.gate.yaml -- gemini --acp",
    page: "docs/guides/record-an-editor-agent.md",
    load: command(async () => (await import("../acp/RecordCommand.ts")).record),
  },
  {
    path: "mcp",
    uses: [["mcp --log FILE", "let an assistant ask about a log: an MCP server for Claude Code, Codex, Gemini CLI …"]],
    example: "mcp --log runs.db",
    page: "docs/guides/debug-with-an-assistant.md",
    load: command(async () => (await import("../mcp/ServerCommand.ts")).server),
  },
  {
    path: "mcp gate",
    uses: [
      [
        "mcp gate -- SERVER",
        "run a gateway in front of an MCP server: record its calls, and let gate rules decide which ones run",
      ],
    ],
    example: "mcp gate --rules hindcast.gate.yaml -- npx -y @modelcontextprotocol/server-memory",
    page: "docs/guides/gate-an-mcp-server.md",
    load: command(async () => (await import("../mcp/GateCommand.ts")).gate),
  },
]
