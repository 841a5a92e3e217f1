/** A visited task or timeline: what became of it in a sentence, and its conversation or the debugger. */
import type { TaskView } from "../../model/Address.ts"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import { settings } from "../../model/settings.ts"
import { useStudio } from "../../parts/context.ts"
import { lazy } from "../../parts/lazy.tsx"
import { ConversationView } from "./ConversationView.tsx"
import { DebuggerView } from "./DebuggerView.tsx"
import { columnsOf } from "./Edge.tsx"
import { Sentence } from "./Sentence.tsx"

const FilesView = lazy(async () => (await import("./FilesView.tsx")).FilesView)
const AgentsView = lazy(async () => (await import("./AgentsView.tsx")).AgentsView)
const TreeView = lazy(async () => (await import("./TreeView.tsx")).TreeView)

export const VisitScreen = ({ course }: { readonly course: CourseHistory }) => {
  const studio = useStudio()
  const talk = studio.talk.value
  const view = studio.view.value
  return (
    <main class={`visit in-${view}`} style={columnsOf(view)}>
      <Sentence course={course}>{talk === null ? null : <Views shown={view} />}</Sentence>
      {view === "conversation" && talk !== null ? (
        <ConversationView course={course} talk={talk} />
      ) : view === "files" ? (
        <FilesView course={course} />
      ) : view === "agents" ? (
        <AgentsView course={course} />
      ) : view === "tree" ? (
        <TreeView course={course} />
      ) : (
        <DebuggerView course={course} />
      )}
    </main>
  )
}

/** Chooses between Markdown and the texts as they are. */
const Raw = () => (
  <button
    type="button"
    class="raw"
    aria-pressed={settings.raw.value}
    title="Texts as they are (M)"
    onClick={() => settings.setRaw(!settings.raw.value)}
  >
    raw text
  </button>
)

const Views = ({ shown }: { readonly shown: TaskView }) => {
  const studio = useStudio()
  return (
    <div class="views">
      <div class="tabs" role="tablist" aria-label="View">
        {studio.views.value.map((view) => (
          <button
            key={view}
            type="button"
            role="tab"
            aria-selected={view === shown}
            title="key a"
            onClick={() => studio.look({ view })}
          >
            {view}
          </button>
        ))}
      </div>
      {shown === "conversation" ? <Raw /> : null}
    </div>
  )
}
