/**
 * Runs before a program that appends, in the same process, and kills it with SIGKILL at one step of a commit: `before` or
 * `after` a statement, or `during` it, from another thread, after a share of the time that the like statement before it took;
 * where the statement was over sooner, before anything else happens.
 *
 * Input: { at, statement, nth, share }: the nth statement that begins so.
 */
import { createRequire } from "node:module"
import { isMainThread, Worker, workerData } from "node:worker_threads"
import { driver } from "../../../../dist/events/sqlite/driver/choice.js"

const die = () => {
  process.kill(process.pid, "SIGKILL")
  // The signal may take a moment, and nothing more may happen.
  for (;;);
}

const STARTING = 0
const IDLE = 1
const ARMED = 2

/** In the other thread: waits until the statement begins, and then for the time that was set. */
const lieInWait = ({ state, microseconds }) => {
  Atomics.store(state, 0, IDLE)
  Atomics.notify(state, 0)
  Atomics.wait(state, 0, IDLE)
  const until = performance.now() + microseconds[0] / 1000
  while (performance.now() < until);
  die()
}

const wrap = ({ at, statement: wanted, nth, share = 0 }) => {
  const shared = {
    state: new Int32Array(new SharedArrayBuffer(4)),
    microseconds: new Int32Array(new SharedArrayBuffer(4)),
  }
  if (at === "during") {
    new Worker(new URL(import.meta.url), { workerData: shared }).unref()
    Atomics.wait(shared.state, 0, STARTING)
  }
  let count = 0
  let lastTook = 1

  const watched = (run) => (parameters) => {
    count += 1
    const now = count === nth ? at : undefined
    if (now === "before") die()
    if (now === "during") {
      shared.microseconds[0] = share * lastTook * 1000
      Atomics.store(shared.state, 0, ARMED)
      Atomics.notify(shared.state, 0)
    }
    const began = performance.now()
    try {
      return run(...parameters)
    } finally {
      lastTook = performance.now() - began
      if (now === "after") die()
      if (now === "during") Atomics.wait(shared.state, 0, ARMED)
    }
  }

  const { prototype } =
    driver().name === "node:sqlite"
      ? process.getBuiltinModule("node:sqlite").DatabaseSync
      : createRequire(import.meta.url)("better-sqlite3")
  const { prepare } = prototype
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    if (sql.startsWith(wanted)) {
      for (const method of ["run", "all"]) {
        const run = watched(statement[method].bind(statement))
        statement[method] = (...parameters) => run(parameters)
      }
    }
    return statement
  }
}

if (isMainThread) wrap(JSON.parse(process.env.FIRST))
else lieInWait(workerData)
