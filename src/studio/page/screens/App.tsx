/** The page: the bar, the address's screen, the notice, and the open dialog. */
import type { Signal } from "@preact/signals"
import { useEffect, useMemo, useState } from "preact/hooks"
import { OVERVIEW, otherOf, othersOf } from "../model/Address.ts"
import { commandOf, type Dialog, type KeyTargets } from "../model/keys.ts"
import type { Connection } from "../model/live.ts"
import type { Studio } from "../model/Studio.ts"
import { settings } from "../model/settings.ts"

import { Bar } from "../parts/Bar.tsx"
import { boxText } from "../parts/CommandBox.tsx"
import { CopyDialog } from "../parts/CopyDialog.tsx"
import { StudioContext, useStudio } from "../parts/context.ts"
import { Help } from "../parts/Help.tsx"
import { Link } from "../parts/Link.tsx"
import { lazy } from "../parts/lazy.tsx"
import { TaskDialog } from "../parts/TaskDialog.tsx"
import { titleOf } from "../parts/title.ts"
import { TasksScreen } from "./TasksScreen.tsx"
import { VisitScreen } from "./visit/VisitScreen.tsx"

// Most visits need none of these.
const BUSY = <main aria-busy="true" />

const CompareScreen = lazy(async () => (await import("./compare/CompareScreen.tsx")).CompareScreen, BUSY)
const RunsScreen = lazy(async () => (await import("./compare/RunsScreen.tsx")).RunsScreen, BUSY)
const CurriculaScreen = lazy(async () => (await import("./CurriculaScreen.tsx")).CurriculaScreen, BUSY)
const NotesScreen = lazy(async () => (await import("./NotesScreen.tsx")).NotesScreen, BUSY)
const PluginsScreen = lazy(async () => (await import("./PluginsScreen.tsx")).PluginsScreen, BUSY)
const QuestionsScreen = lazy(async () => (await import("./QuestionsScreen.tsx")).QuestionsScreen, BUSY)
const ScenariosScreen = lazy(async () => (await import("./ScenariosScreen.tsx")).ScenariosScreen, BUSY)
const SearchScreen = lazy(async () => (await import("./SearchScreen.tsx")).SearchScreen, BUSY)
const CompareDialog = lazy(async () => (await import("../parts/CompareDialog.tsx")).CompareDialog)
const ForkDialog = lazy(async () => (await import("../parts/ForkDialog.tsx")).ForkDialog)
const RescoreDialog = lazy(async () => (await import("../parts/RescoreDialog.tsx")).RescoreDialog)

export const App = ({ studio, connection }: { readonly studio: Studio; readonly connection: Signal<Connection> }) => {
  const [dialog, open] = useState<Dialog>(null)
  const page = useMemo<KeyTargets>(
    () => ({
      open,
      focusBox: (text) => {
        boxText.value = { text }
      },
      focusFilter: (missing) => {
        const filter = document.querySelector<HTMLElement>(".event-filters select, .task-filters select")
        if (filter === null) missing()
        else filter.focus()
      },
    }),
    [],
  )
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "k") {
        event.preventDefault()
        return page.focusBox("")
      }
      if (!settings.singleKeys.value || document.querySelector("dialog[open]") !== null) return
      const command = commandOf(event)
      if (command === undefined) return
      event.preventDefault()
      studio.notice.value = null
      command.run(studio, page)
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [studio, page])
  const title = titleOf(studio.address.value, studio.log.value.name, studio.history.value?.head.value?.goal ?? null)
  useEffect(() => {
    document.title = title
  }, [title])
  const hasDrafts = !studio.drafts.isEmpty.value
  useEffect(() => {
    if (!hasDrafts) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", ask)
    return () => removeEventListener("beforeunload", ask)
  }, [hasDrafts])
  /** A dialog reports its closing late, when another may be open. */
  const closing = (closed: Dialog) => () => open((now) => (now === closed ? null : now))
  return (
    <StudioContext.Provider value={studio}>
      <Bar connection={connection} page={page} />
      <Notice />
      <Screen key={studio.epoch.value} />
      {dialog === "help" ? <Help onClose={closing("help")} /> : null}
      {dialog === "copy" ? <CopyDialog onClose={closing("copy")} /> : null}
      {dialog === "fork" ? <ForkDialog onClose={closing("fork")} /> : null}
      {dialog === "rescore" ? <RescoreDialog onClose={closing("rescore")} /> : null}
      {dialog === "compare" ? <CompareDialog onClose={closing("compare")} /> : null}
      {dialog === "task" ? <TaskDialog onClose={closing("task")} /> : null}
    </StudioContext.Provider>
  )
}

const Notice = () => {
  const studio = useStudio()
  const notice = studio.notice.value
  return (
    <div class="notice-place" role="status" aria-live="polite">
      {notice === null ? null : (
        <p class={notice.bad ? "notice bad" : "notice"}>
          <bdi>{notice.text}</bdi>{" "}
          <button type="button" aria-label="Close" onClick={() => (studio.notice.value = null)}>
            ✕
          </button>
        </p>
      )}
    </div>
  )
}

const Screen = () => {
  const studio = useStudio()
  const address = studio.address.value
  const course = studio.history.value
  switch (address.screen) {
    case "start":
      return <main aria-busy="true" />
    case "visit":
      if (otherOf(address) !== null && address.task !== null) {
        const { timeline, task, vs, scores } = address
        return <CompareScreen key={JSON.stringify([timeline, task, vs, scores])} address={address} />
      }
      if (othersOf(address).length > 1 && address.task !== null) {
        const { timeline, task, vs, scores } = address
        return <RunsScreen key={JSON.stringify([timeline, task, vs, scores])} address={address} />
      }
      return course === null ? <main aria-busy="true" /> : <VisitScreen course={course} />
    case "tasks":
      return <TasksScreen address={address} />
    case "plugins":
      return <PluginsScreen />
    case "curricula":
      return <CurriculaScreen />
    case "questions":
      return <QuestionsScreen />
    case "scenarios":
      return <ScenariosScreen file={address.file} />
    case "notes":
      return <NotesScreen text={address.text} />
    case "search":
      return <SearchScreen key={address.text} text={address.text} />
    case "lost":
      return (
        <main class="lost">
          <h1>This link has no page</h1>
          <p>
            <code>{address.link}</code> is not an address in Studio. A task is at{" "}
            <code>/t/TIMELINE/TASK/@POSITION</code>, all events are at <code>/l/TIMELINE</code>.
          </p>
          <p>
            <Link to={OVERVIEW}>All tasks</Link>
          </p>
        </main>
      )
  }
}
