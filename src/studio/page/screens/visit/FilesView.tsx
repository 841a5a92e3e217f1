/** The files of a task's workspace at the position: the tree, one file or the changes, and panes about the event. */
import { useState } from "preact/hooks"
import type { FilesSpan } from "../../../wire/Files.ts"
import type { CourseHistory, CourseMoment } from "../../model/CourseHistory.ts"
import { About } from "../../panes/About.tsx"
import { useStudio } from "../../parts/context.ts"
import { FileChanges } from "../../parts/files/FileChanges.tsx"
import { FileText } from "../../parts/files/FileText.tsx"
import { FileTree } from "../../parts/files/FileTree.tsx"
import { useThrottled } from "../../parts/useThrottled.ts"
import { Waiting } from "../../parts/Waiting.tsx"
import { partClass } from "./DebuggerView.tsx"
import { NarrowTabs } from "./NarrowTabs.tsx"
import { Scrubber } from "./Scrubber.tsx"

const TABS = ["tree", "file", "about"] as const

type Tab = (typeof TABS)[number]

export const FilesView = ({ course }: { readonly course: CourseHistory }) => {
  const studio = useStudio()
  const [tab, setTab] = useState<Tab>("file")
  const frame = studio.frame.value
  return (
    <>
      <NarrowTabs tabs={TABS} shown={tab} onTab={setTab} />
      {frame === null || course.course.task === null ? (
        <Waiting problem={course.problem.value} />
      ) : (
        <Workspace frame={frame} task={course.course.task} tab={tab} onTab={setTab} />
      )}
      <section class={partClass("about-part", tab === "about")} aria-label="About the event">
        <About course={course} frame={frame} />
      </section>
      <Scrubber />
    </>
  )
}

interface WorkspaceProps {
  readonly frame: CourseMoment
  readonly task: string
  readonly tab: Tab
  readonly onTab: (tab: Tab) => void
}

const Workspace = ({ frame, task, tab, onTab }: WorkspaceProps) => {
  const studio = useStudio()
  const { timeline = "main", file = "", span = "" } = studio.visit ?? {}
  const place = { timeline, task, position: useThrottled(frame.position) }
  // Without a choice, the changes up to here say most.
  const shown = span === "" && file === "" ? "task" : span
  return (
    <>
      <section class={partClass("tree-part", tab === "tree")} aria-label="Files">
        <FileTree
          place={place}
          open={file}
          onOpen={(path) => {
            onTab("file")
            studio.look({ file: path, span: "" })
          }}
        />
      </section>
      <section class={partClass("file-part", tab === "file")} aria-label={shown === "" ? file : "Changes"}>
        <fieldset class="of-files" aria-label="What is shown">
          {file === "" ? null : (
            <button type="button" aria-pressed={shown === ""} onClick={() => studio.look({ span: "" }, true)}>
              <bdi>{file.split("/").at(-1)}</bdi>
            </button>
          )}
          {CHOICES.map(([name, says]) => (
            <button
              key={name}
              type="button"
              aria-pressed={shown === name}
              onClick={() => studio.look({ span: name }, true)}
            >
              {says}
            </button>
          ))}
        </fieldset>
        {shown === "" ? (
          <FileText key={file} place={place} path={file} />
        ) : (
          <FileChanges place={place} span={shown} onOpen={(path) => studio.look({ file: path, span: "" })} />
        )}
      </section>
    </>
  )
}

const CHOICES: ReadonlyArray<readonly [FilesSpan, string]> = [
  ["step", "last change"],
  ["turn", "this turn"],
  ["task", "all changes"],
]
