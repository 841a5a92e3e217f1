/** Agents by providers' own packages, recorded by every way, and replayed without a server. */

import { expect } from "vitest"
import { record, replayed } from "../../../src/record/index.ts"
import { document, listed, start } from "../../cli/hindcast.ts"
import { inRepository } from "../../repository.ts"
import type { workplace } from "../../workplace.ts"
import { say } from "./agents.mjs"
import { SAID, serve } from "./provider.ts"

/** What a recording comes to. */
export interface Found {
  /** What each agent said, when it was recorded and in the replay. */
  readonly said: Readonly<Record<string, string>>
  readonly again: Readonly<Record<string, string>>
  /** Requests to the provider while it was recorded, and in the replay. */
  readonly asked: readonly [recorded: number, replayed: number]
  /** What of the log has to be the same by every way: what was asked, what was answered, and what the tools did. */
  readonly told: ReadonlyArray<unknown>
  /** The log as text. */
  readonly log: string
}

type Events = ReadonlyArray<Record<string, unknown>>

/** What an event says, without ids, times and the address of its server. */
const essenceOf = ({ type, payload }: Record<string, unknown>): ReadonlyArray<unknown> => {
  const { provider, model, request, response, usage, cost, finish, actuator, args, observed, result, kind, reason } =
    payload as Readonly<Record<string, unknown>>
  switch (type) {
    case "ModelCalled": {
      const {
        messages = [],
        system,
        tools,
      } = request as {
        readonly messages?: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
        readonly system?: string
        readonly tools?: unknown
      }
      return [[type, provider, model, system, tools, messages]]
    }
    case "ModelResponded": {
      const { parts, finish, model } = response as {
        readonly parts: unknown
        readonly finish: string
        readonly model: string
      }
      return [[type, parts, finish, model, usage, cost]]
    }
    case "ModelFailed":
      return [[type, kind, reason]]
    case "ActuatorCommanded":
      return [[type, actuator, args, observed]]
    case "CommandSucceeded":
    case "CommandFailed":
      return [[type, result]]
    default:
      return finish === undefined ? [] : [[type]]
  }
}

const eventsIn = (log: string): Promise<Events> => listed(["--log", log, "--limit", "10000"])

const found = async (log: string, rest: Omit<Found, "told" | "log">): Promise<Found> => {
  const events = await eventsIn(log)
  return { ...rest, told: events.flatMap(essenceOf), log: JSON.stringify(events) }
}

/**
 * Records agents by the recording `fetch`, by what is loaded before their program, and by the proxy, and replays each recording.
 *
 * @param modules where their packages are
 */
export const recordings = async (
  place: ReturnType<typeof workplace>,
  modules: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
): Promise<{ readonly fetched: Found; readonly preloaded: Found; readonly proxied: Found }> => {
  const program = [
    "--",
    process.execPath,
    inRepository("test/record/sdks/agents.mjs"),
    JSON.stringify(modules),
    ...names,
  ]
  const byProgram = async (name: string, ...options: ReadonlyArray<string>): Promise<Found> => {
    const provider = await serve()
    const log = place.file(`${name}.db`)
    const run = async (...args: ReadonlyArray<string>) => {
      const ended = await start([...args, "--log", log, ...program], { env: provider.env }).ended
      if (ended.code !== 0) throw new Error(`${args.join(" ")} ended with ${ended.code}: ${ended.stderr}`)
      return JSON.parse(ended.stdout)
    }
    const said = await run("record", ...options)
    const recorded = provider.asked.length
    const { tasks } = await document(["task", "ls", "--log", log])
    const [{ id }] = tasks as [{ id: string }]
    const again = await run("replay", id)
    provider.close()
    return found(log, { said, again, asked: [recorded, provider.asked.length - recorded] })
  }
  const byFetch = async (): Promise<Found> => {
    const provider = await serve()
    const { fetch } = globalThis
    const log = place.file("fetched.db")
    const saying = (recording: typeof fetch) => {
      // Some take no other `fetch` than the global one.
      globalThis.fetch = recording
      return say(modules, names, recording).finally(() => {
        globalThis.fetch = fetch
      })
    }
    Object.assign(process.env, provider.env)
    const run = await record({ log, goal: "Ask for the weather", agent: "clerk" })
    const said = await saying(run.fetch)
    await run.end("achieved")
    const recorded = provider.asked.length
    provider.close()
    let again: Found["again"] = {}
    await replayed({ log, taskId: run.taskId }, async (run) => {
      again = await saying(run.fetch)
      await run.end("achieved")
    })
    return found(log, { said, again, asked: [recorded, provider.asked.length - recorded] })
  }
  const [fetched, preloaded, proxied] = await Promise.all([
    byFetch(),
    byProgram("preloaded"),
    byProgram("proxied", "--proxy"),
  ])
  return { fetched, preloaded, proxied }
}

/** What has to hold for recordings of agents by every way. */
export const expectAgreement = (
  names: ReadonlyArray<string>,
  { fetched, preloaded, proxied }: Awaited<ReturnType<typeof recordings>>,
): void => {
  const said = Object.fromEntries(
    names.flatMap((name) => [
      [name, SAID],
      [`${name}, streamed`, SAID],
    ]),
  )
  const requests = names.length * 4
  for (const found of [fetched, preloaded, proxied]) {
    expect(found.said).toEqual(said)
    expect(found.again).toEqual(said)
    expect(found.asked).toEqual([requests, 0])
    expect(found.log).not.toContain("that-nobody-may-read")
  }
  const counted = (type: string) => fetched.told.filter((one) => Array.isArray(one) && one[0] === type)
  expect(counted("ModelCalled")).toHaveLength(requests)
  expect(counted("ModelResponded")).toHaveLength(requests)
  expect(counted("ActuatorCommanded")).toHaveLength(requests / 2)
  expect(counted("CommandSucceeded")).toHaveLength(requests / 2)
  for (const [, , , , usage] of counted("ModelResponded") as ReadonlyArray<ReadonlyArray<unknown>>) {
    expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
  }
  expect(preloaded.told).toEqual(fetched.told)
  expect(proxied.told).toEqual(fetched.told)
}
