/** How to run each coding agent once, without a person, against a scripted model. Tried with the versions in `Clients`. */

import * as os from "node:os"
import * as path from "node:path"
import type { JsonObject } from "../../values/Json.ts"

/** One run of a client. */
export interface HeadlessRun {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Files to write first: by name in a directory of the run's own, whose path replaces `DIRECTORY` in `env`. */
  readonly files?: Readonly<Record<string, JsonObject>>
}

export interface HeadlessClient {
  /** Its name, as in `Clients`. */
  readonly name: string
  /** The program on the `PATH`. */
  readonly program: string
  /** The tool that runs a line of a shell, and its arguments. */
  readonly tool: string
  readonly args: (line: string) => JsonObject
  readonly run: (url: string, prompt: string) => HeadlessRun
  /** The directory in which it writes a file for each session, below which a check removes its own. */
  readonly sessions?: (env: Variables) => string
}

type Variables = Readonly<Record<string, string | undefined>>

const inHome = ({ HOME = os.homedir() }: Variables, ...names: ReadonlyArray<string>): string =>
  path.join(HOME, ...names)

/** Placeholder of the run's own directory in variables. */
export const DIRECTORY = "\u0000directory"

const described = (command: string): JsonObject => ({ command, description: "Check the hooks" })

export const all: ReadonlyArray<HeadlessClient> = [
  {
    name: "claude-code",
    program: "claude",
    sessions: (env) => path.join(env.CLAUDE_CONFIG_DIR || inHome(env, ".claude"), "projects"),
    tool: "Bash",
    args: described,
    run: (url, prompt) => ({
      args: ["-p", prompt, "--allowedTools", "Bash"],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "scripted",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        NO_PROXY: "127.0.0.1",
      },
    }),
  },
  {
    name: "codex",
    program: "codex",
    sessions: (env) => path.join(env.CODEX_HOME || inHome(env, ".codex"), "sessions"),
    tool: "exec_command",
    args: (cmd) => ({ cmd }),
    run: (url, prompt) => ({
      args: [
        "exec",
        "--skip-git-repo-check",
        // The scripted commands touch files of the check only.
        "--dangerously-bypass-approvals-and-sandbox",
        ...["-m", "gpt-5.5", "-c", "model_provider=hindcast"],
        "-c",
        `model_providers.hindcast={name="hindcast",base_url="${url}/v1",wire_api="responses",env_key="HINDCAST_CHECK_KEY"}`,
        prompt,
      ],
      env: { HINDCAST_CHECK_KEY: "scripted", NO_PROXY: "127.0.0.1" },
    }),
  },
  {
    name: "gemini-cli",
    program: "gemini",
    sessions: (env) => path.join(env.GEMINI_CLI_HOME || inHome(env), ".gemini", "tmp"),
    tool: "run_shell_command",
    args: (command) => ({ command }),
    run: (url, prompt) => ({
      args: ["--skip-trust", "-y", "-m", "gemini-2.5-flash", "-p", prompt],
      // The system's settings win over the user's: a person who signs in with Google would ask a real model.
      env: {
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_API_KEY: "scripted",
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${DIRECTORY}/system.json`,
        NO_PROXY: "127.0.0.1",
      },
      files: { "system.json": { security: { auth: { selectedType: "gemini-api-key" } } } },
    }),
  },
  {
    name: "copilot",
    program: "copilot",
    tool: "bash",
    args: described,
    run: (url, prompt) => ({
      args: ["--allow-all-tools", "--allow-all-paths", "-p", prompt],
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_MODEL: "scripted",
        NO_PROXY: "127.0.0.1",
      },
    }),
  },
  {
    name: "opencode",
    program: "opencode",
    tool: "bash",
    args: described,
    run: (url, prompt) => ({
      args: ["run", "--model", "hindcast/scripted", prompt],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          model: "hindcast/scripted",
          permission: { bash: "allow", external_directory: "allow" },
          provider: {
            hindcast: {
              npm: "@ai-sdk/openai-compatible",
              name: "Hindcast's check",
              options: { baseURL: `${url}/v1`, apiKey: "scripted" },
              models: { scripted: { name: "scripted", tool_call: true } },
            },
          },
        }),
        NO_PROXY: "127.0.0.1",
      },
    }),
  },
  {
    name: "qwen",
    program: "qwen",
    sessions: (env) => inHome(env, ".qwen"),
    tool: "run_shell_command",
    args: (command) => ({ ...described(command), is_background: false }),
    run: (url, prompt) => ({
      args: ["--auth-type", "openai", "-y", "-p", prompt],
      env: {
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_API_KEY: "scripted",
        OPENAI_MODEL: "scripted",
        NO_PROXY: "127.0.0.1",
      },
    }),
  },
]

export const named = (name: string): HeadlessClient | undefined => all.find((one) => one.name === name)
