/**
 * One connection: takes requests from a stream of bytes, runs them at the same time, and answers each as it ends. The
 * end of the input interrupts the rest.
 */
import type { Readable, Writable } from "node:stream"
import { Cause, Data, Effect, Either, Exit, Fiber, Runtime } from "effect"
import { adviceOf } from "../command/BadInput.ts"
import * as Failure from "../command/Failure.ts"
import { LineSplitter } from "./Lines.ts"
import type { Method } from "./Method.ts"
import * as Request from "./Request.ts"
import type { Session } from "./Session.ts"

/** Maximum number of requests at the same time. Further ones are refused until others end. */
const MAX_REQUESTS = 1000

/** Name a method that exists. */
export class NoSuchMethod extends Data.TaggedError("NoSuchMethod")<{
  readonly method: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const { advice } = adviceOf(this.method, this.known)
    return `Expected a method, found ${JSON.stringify(this.method.slice(0, 100))}. ${advice ?? `There are ${this.known.join(", ")}.`}`
  }
}

/** The client cancelled the request (`cancel`). */
export class Cancelled extends Data.TaggedError("Cancelled")<Record<never, never>> {
  override get message() {
    return "The client cancelled this request."
  }
}

export interface Connecting {
  readonly input: Readable
  readonly output: Writable
  readonly methods: ReadonlyArray<Method>
  readonly session: Session
}

/** Serves a connection until its input ends. Returns the bytes of an unfinished line at its end: half a request. */
export const serve = ({ input, output, methods, session }: Connecting): Effect.Effect<number> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const byName = new Map(methods.map((method) => [method.name, method]))
    const running = new Map<Request.RequestId, Fiber.RuntimeFiber<unknown, unknown>>()
    const lines = new LineSplitter()
    const refuse = (id: Request.RequestId | null, cause: Cause.Cause<unknown>) =>
      output.write(Request.refusal(id, Cause.isInterruptedOnly(cause) ? CANCELLED : Failure.ofCause(cause, [])))

    const begin = ({ id, method: name, params }: Request.Request): unknown => {
      // The fastest round trip, without a fiber.
      if (name === PING) return output.write(Request.answer(id, params))
      if (name === CANCEL) return output.write(Request.answer(id, cancel(params)))
      const method = byName.get(name)
      if (method === undefined) {
        const known = [...byName.keys(), PING, CANCEL].sort()
        return refuse(id, Cause.fail(new NoSuchMethod({ method: name, known })))
      }
      const busy = busyWith(id)
      if (busy !== undefined) return refuse(id, Cause.fail(busy))
      const fiber = Runtime.runFork(runtime)(method.run(params, session))
      running.set(id, fiber)
      fiber.addObserver((exit) => {
        running.delete(id)
        if (Exit.isSuccess(exit)) output.write(Request.answer(id, exit.value))
        else refuse(id, exit.cause)
      })
      return fiber
    }

    const busyWith = (id: Request.RequestId) => {
      if (running.has(id)) {
        return new Request.InvalidRequest({
          id,
          expected: "another id for each request at work",
          found: JSON.stringify(id),
        })
      }
      if (running.size < MAX_REQUESTS) return undefined
      return new Request.InvalidRequest({
        id,
        expected: `at most ${MAX_REQUESTS} requests at the same time`,
        found: "one more",
      })
    }

    /** Interrupts a request, whose answer is then an error. False if it has ended. */
    const cancel = (params: unknown): boolean => {
      const id: unknown = typeof params === "object" && params !== null && "id" in params ? params.id : undefined
      const fiber = running.get(id as Request.RequestId)
      if (fiber === undefined) return false
      Runtime.runFork(runtime)(Fiber.interrupt(fiber))
      return true
    }

    const onData = (chunk: Buffer) => {
      for (const line of lines.push(chunk)) {
        if ("text" in line && line.text.trim() === "") continue
        const request = Request.decode(line)
        if (Either.isRight(request)) begin(request.right)
        else refuse(request.left.id, Cause.fail(request.left))
      }
    }

    yield* Effect.async<void>((resume) => {
      const onEnd = () => resume(Effect.void)
      input.on("data", onData).once("end", onEnd).once("close", onEnd).once("error", onEnd)
      // Who read from it before may have paused it.
      input.resume()
      return Effect.sync(() => {
        input.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd)
      })
    })
    input.off("data", onData)
    yield* Fiber.interruptAll(running.values())
    return lines.unfinished
  })

/** Answers with its own parameters. */
const PING = "ping"

/** Interrupts the request with the id that its parameters name. */
const CANCEL = "cancel"

const CANCELLED: Failure.Failure = { exitCode: 0, tag: "Cancelled", message: new Cancelled().message }
