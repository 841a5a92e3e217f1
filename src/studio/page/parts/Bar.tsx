/** The bar: log, timeline, task, LIVE, pending questions, and the box. */
import type { Signal } from "@preact/signals"
import { isAtWork } from "../../../projections/summary/Activity.ts"
import { oneLine } from "../../../values/PlainText.ts"
import { OVERVIEW, visit } from "../model/Address.ts"
import type { KeyTargets } from "../model/keys.ts"
import type { Connection } from "../model/live.ts"
import { CommandBox } from "./CommandBox.tsx"
import { useStudio } from "./context.ts"
import { count } from "./format.ts"
import { Link } from "./Link.tsx"
import { ScoreSelect } from "./ScoreSelect.tsx"
import { SignedIn } from "./SignedIn.tsx"

export const Bar = ({ connection, page }: { readonly connection: Signal<Connection>; readonly page: KeyTargets }) => {
  const studio = useStudio()
  const address = studio.address.value
  const log = studio.log.value
  const { visit: now } = studio
  const timeline = now?.timeline ?? (address.screen === "tasks" ? address.timeline : "main")
  const head = studio.history.value?.head.value ?? null
  const isLive = head === null || isAtWork(head)
  const waiting = studio.questions.value.length
  return (
    <header class="bar">
      <nav aria-label="Where">
        <Link to={OVERVIEW} class="log" current={address.screen === "tasks"} title="All tasks of this log">
          <bdi>{oneLine(log.name)}</bdi>
        </Link>
        {log.timelines.length < 2 ? null : (
          <select
            aria-label="Timeline"
            value={timeline}
            onChange={({ currentTarget: { value } }) =>
              studio.go(
                now === null ? { ...OVERVIEW, timeline: value } : visit({ timeline: value, task: now.task }, null),
              )
            }
          >
            {log.timelines.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        {now === null ? null : (
          <button type="button" class="task" title="Go to another task" onClick={() => page.open("task")}>
            {now.task === null ? "all events" : <bdi>{now.task}</bdi>}
          </button>
        )}
      </nav>
      <div class="side">
        {now === null && address.screen !== "tasks" ? null : <ScoreSelect timeline={timeline} />}
        {studio.source.follow === null ? (
          <span class="stopped">a shared copy</span>
        ) : connection.value === "lost" ? (
          <span class="stopped" title="Start hindcast studio again; the page reconnects automatically">
            not connected
          </span>
        ) : now === null || !isLive ? null : (
          <button
            type="button"
            class={studio.following.value ? "live on" : "live"}
            aria-pressed={studio.following.value}
            onClick={() => studio.follow()}
            title="Follow the last event (l)"
          >
            LIVE
          </button>
        )}
        {waiting === 0 ? null : (
          <Link to={{ screen: "questions" }} class="waits" current={address.screen === "questions"}>
            {count(waiting, "question")} {waiting === 1 ? "waits" : "wait"}
          </Link>
        )}
        {log.scenarios ? (
          <Link to={{ screen: "scenarios", file: "" }} class="quiet" current={address.screen === "scenarios"}>
            scenarios
          </Link>
        ) : null}
        <Link to={{ screen: "notes", text: "" }} class="quiet" current={address.screen === "notes"}>
          notes
        </Link>
        {log.curricula ? (
          <Link to={{ screen: "curricula" }} class="quiet" current={address.screen === "curricula"}>
            curricula
          </Link>
        ) : null}
        {studio.source.follow === null ? null : (
          <Link to={{ screen: "plugins" }} class="quiet" current={address.screen === "plugins"}>
            plugins
          </Link>
        )}
        <SignedIn />
        <CommandBox page={page} />
        <button type="button" class="quiet" aria-label="Keys" title="Keys (?)" onClick={() => page.open("help")}>
          ?
        </button>
      </div>
    </header>
  )
}
