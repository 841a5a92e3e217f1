/** A task as a conversation: its turns as bars, all messages and actions, and panes about the position. */
import { useEffect, useState } from "preact/hooks"
import type { CourseHistory } from "../../model/CourseHistory.ts"
import type { Talk } from "../../model/conversation/Talk.ts"
import { About } from "../../panes/About.tsx"
import { Speaking } from "../../panes/Speaking.tsx"
import { useStudio } from "../../parts/context.ts"
import { Conversation } from "../../parts/conversation/Conversation.tsx"
import { Turns } from "../../parts/conversation/Turns.tsx"
import { useLiveAnswer } from "../../parts/conversation/useLiveAnswer.ts"
import { partClass } from "./DebuggerView.tsx"
import { Edge } from "./Edge.tsx"
import { NarrowTabs } from "./NarrowTabs.tsx"
import { Scrubber } from "./Scrubber.tsx"

const TABS = ["turns", "conversation", "about"] as const

type Tab = (typeof TABS)[number]

export const ConversationView = ({ course, talk }: { readonly course: CourseHistory; readonly talk: Talk }) => {
  const studio = useStudio()
  const pane = studio.visit?.pane ?? "event"
  const [tab, setTab] = useState<Tab>(pane === "event" ? "conversation" : "about")
  // Show a pane that a link or a key asks for.
  useEffect(() => {
    if (pane !== "event") setTab("about")
  }, [pane])
  const live = useLiveAnswer()
  return (
    <>
      <NarrowTabs tabs={TABS} shown={tab} onTab={setTab} />
      <section class={partClass("turns-part", tab === "turns")} aria-label="Turns">
        <Turns course={course} talk={talk} onGo={() => setTab("conversation")} />
      </section>
      <Edge view="conversation" side="left" label="the turns" />
      <section class={partClass("talk-part", tab === "conversation")} aria-label="Conversation">
        <Conversation course={course} talk={talk} streaming={live?.streaming.value ?? null} />
        {live === null ? null : <Speaking live={live} />}
      </section>
      <Edge view="conversation" side="right" label="the panes" />
      <section class={partClass("about-part", tab === "about")} aria-label="About the event">
        <About course={course} frame={studio.frame.value} />
      </section>
      <Scrubber />
    </>
  )
}
