/** A hook of a coding agent: its command next to an empty program, and an allowed call asked of the hook server over HTTP. */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import * as readline from "node:readline"
import { fileURLToPath } from "node:url"
import { median } from "../measure.mjs"

const built = (...names) => fileURLToPath(new URL(path.posix.join("../../dist", ...names), import.meta.url))

/** Calls per round. */
const CALLS = 20

const payload = (id) =>
  JSON.stringify({
    session_id: "bench",
    cwd: "/",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: id,
  })

export const run = async (directory, rounds, say) => {
  const state = path.join(directory, "state")
  const env = { ...process.env, HINDCAST_STATE: state }
  const log = path.join(directory, "sessions.db")
  const server = spawn(process.execPath, [built("cli", "main.js"), "hooks", "serve", "--json", "--log", log], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  })
  await new Promise((resolve) =>
    readline.createInterface({ input: server.stdout }).once("close", resolve).once("line", resolve),
  )
  try {
    const { socket, token } = JSON.parse(fs.readFileSync(path.join(state, "hooks", "door.json"), "utf8"))
    const spent = { hook: [], nothing: [], asked: [] }
    for (let round = 0; round <= rounds; round++) {
      say(`hooks, round ${round}`)
      for (let call = 0; call < CALLS; call++) {
        const id = `${round}-${call}`
        const nothing = timed(() => spawnSync(process.execPath, ["-e", "0"], { input: "" }))
        const hook = timed(() => {
          const { status, stderr } = spawnSync(process.execPath, [built("hook.js"), "claude-code"], {
            env,
            input: payload(id),
          })
          if (status !== 0) throw new Error(String(stderr))
        })
        const from = performance.now()
        await ask(socket, token, payload(`http-${id}`))
        const asked = performance.now() - from
        if (round > 0) for (const [name, ms] of Object.entries({ hook, nothing, asked })) spent[name].push(ms)
      }
    }
    const [hook, nothing, asked] = [median(spent.hook), median(spent.nothing), median(spent.asked)]
    const shared = { floor: nothing, unit: "ms", floorIs: "node -e 0" }
    return [
      {
        what: "an allowed call by the hook's command",
        ours: hook,
        ratio: hook / nothing,
        ...shared,
        bound: { at: "most", value: 1.5 },
      },
      {
        what: "an allowed call asked of the hook server over HTTP",
        ours: asked,
        ratio: asked / nothing,
        ...shared,
        bound: { at: "most", value: 10, of: "ours" },
      },
    ]
  } finally {
    server.kill()
  }
}

const timed = (does) => {
  const from = performance.now()
  does()
  return performance.now() - from
}

/** A new connection for each request, as a hook has. */
const ask = (socket, token, body) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const options = { socketPath: socket, path: "/hooks/claude-code", method: "POST", headers, agent: false }
    http
      .request(options, (response) => {
        response.resume()
        response.on("end", () =>
          response.statusCode === 200
            ? resolve()
            : reject(new Error(`the hook server answered ${response.statusCode}`)),
        )
      })
      .on("error", reject)
      .end(body)
  })
