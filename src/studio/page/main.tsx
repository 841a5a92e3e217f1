/** Studio's page. It shows a log from its server, the tasks in the page itself, or the task that its host names. */
import { signal } from "@preact/signals"
import { render } from "preact"
import { appLinks, fileLinks, type Links, serverLinks } from "./model/Links.ts"
import { type Connection, followLive } from "./model/live.ts"
import { Studio } from "./model/Studio.ts"
import { showPlainText } from "./parts/plainText.ts"
import { App } from "./screens/App.tsx"
import { fileSource, inTemplates, isSharedFile } from "./source/FileSource.ts"
import { hostAnswers, isInHost } from "./source/HostFrame.ts"
import { httpSource } from "./source/HttpSource.ts"
import { messageOf, type Source, SourceFailed } from "./source/Source.ts"
import { forget, token } from "./source/Token.ts"

showPlainText()

const place = document.getElementById("studio")

const say = (title: string, text: string): void => {
  if (place === null) return
  render(
    <main class="lost">
      <h1>{title}</h1>
      <p>{text}</p>
    </main>,
    place,
  )
}

const begin = async (): Promise<void> => {
  if (place === null) return
  if (isSharedFile()) return show(fileSource(inTemplates()), fileLinks)
  if (isInHost()) return showInHost()
  const given = await token()
  if (given === null)
    return say(
      "Open Studio by its own link",
      "This page needs the link that `hindcast studio` printed in its terminal: it ends in #token=… . An open Studio tab shares its token with other tabs: keep one open, and reload this one.",
    )
  await show(httpSource(given), serverLinks)
}

/** Shows the task that the host's assistant chose. */
const showInHost = async (): Promise<void> => {
  try {
    const { answers, start } = await hostAnswers()
    const packed = new Map(Object.entries(answers))
    await show(
      fileSource((question) => packed.get(question)),
      appLinks(start),
    )
  } catch (cause) {
    say("Studio cannot show this task", messageOf(cause))
  }
}

const show = async (source: Source, links: Links): Promise<void> => {
  if (place === null) return
  try {
    const studio = new Studio(source, links, await source.ask("log"))
    const connection = signal<Connection>("live")
    render(<App studio={studio} connection={connection} />, place)
    studio.start()
    // Even a log that lacks a segment has much to show, so continue after a failure.
    studio.loadQuestions().catch((cause: unknown) => studio.fail(cause))
    await followLive(studio, (state) => {
      connection.value = state
    })
  } catch (cause) {
    if (cause instanceof SourceFailed && cause.code === "Unauthorized") {
      forget()
      return say("This link has expired", "Studio was restarted with a new token. Open the link that it printed last.")
    }
    say("Studio cannot show this log", messageOf(cause))
  }
}

void begin()
