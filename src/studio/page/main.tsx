/** Studio's page. It shows a log from its server, the tasks in the page itself, or the task that its host names. */
import { signal } from "@preact/signals"
import { render } from "preact"
import { appLinks, fileLinks, type Links, linksBelow, serverLinks } from "./model/Links.ts"
import { type Connection, ENDED_SESSION, followLive } from "./model/live.ts"
import { Studio } from "./model/Studio.ts"
import { showPlainText } from "./parts/plainText.ts"
import { App } from "./screens/App.tsx"
import { httpSource, ofToken } from "./source/HttpSource.ts"
import { messageOf, type Source, SourceFailed } from "./source/Source.ts"
import { isInHost, isSharedFile } from "./source/surroundings.ts"
import { headersOf, isOfTeam, load, logIn, prefixOf } from "./source/TeamSession.ts"
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
  if (isSharedFile()) {
    const { fileSource, inTemplates } = await import("./source/FileSource.ts")
    return show(fileSource(inTemplates()), fileLinks)
  }
  if (isInHost()) return showInHost()
  if (isOfTeam()) return beginInTeam()
  const given = await token()
  if (given === null)
    return say(
      "Open Studio by its own link",
      "This page needs the link that `hindcast studio` printed in its terminal: it ends in #token=… . An open Studio tab shares its token with other tabs: keep one open, and reload this one.",
    )
  await show(httpSource(ofToken(given)), serverLinks)
}

/** Shows the log of the address to the person who is signed in, or first the form, or the choice of a log. */
const beginInTeam = async (): Promise<void> => {
  if (place === null) return
  try {
    const session = await load()
    if (session.account === null) {
      if (session.by === "password") {
        const { SignInScreen } = await import("./screens/SignInScreen.tsx")
        return render(<SignInScreen onSignedIn={() => void beginInTeam()} />, place)
      }
      return say("Nobody is signed in", "The proxy in front of Studio named no account. Sign in there, and reload.")
    }
    const named = logIn(location.pathname)
    const [first, another] = session.logs
    if (named === null && location.pathname === "/" && first !== undefined && another === undefined) {
      return location.replace(`${prefixOf(first.id)}/`)
    }
    const log = session.logs.find(({ id }) => id === named)
    if (log === undefined) {
      const { LogsScreen } = await import("./screens/LogsScreen.tsx")
      return render(<LogsScreen session={session} missing={named} />, place)
    }
    const api = { base: `/api${prefixOf(log.id)}`, headers: headersOf(session) }
    await show(httpSource(api), linksBelow(prefixOf(log.id)))
  } catch (cause) {
    say("Studio does not respond", messageOf(cause))
  }
}

/** Shows the task that the host's assistant chose. */
const showInHost = async (): Promise<void> => {
  try {
    const { fileSource } = await import("./source/FileSource.ts")
    const { hostAnswers } = await import("./source/HostFrame.ts")
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
    if (cause instanceof SourceFailed && ENDED_SESSION.includes(cause.code)) {
      if (isOfTeam()) return beginInTeam()
      forget()
      return say("This link has expired", "Studio was restarted with a new token. Open the link that it printed last.")
    }
    say("Studio cannot show this log", messageOf(cause))
  }
}

void begin()
