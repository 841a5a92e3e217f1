/**
 * The server's token. It arrives in the fragment of the first address, which no request contains, and stays in this
 * tab. Another tab that opens a copied link asks the tabs of the same origin for it.
 */

const KEY = "hindcast-studio-token"

/** The token; null if neither the address nor another tab has it. */
export const token = async (): Promise<string | null> => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token")
  if (given !== null) {
    sessionStorage.setItem(KEY, given)
    history.replaceState(history.state, "", location.pathname + location.search)
  }
  const known = sessionStorage.getItem(KEY) ?? (await asked())
  if (known !== null) {
    sessionStorage.setItem(KEY, known)
    answerOthers(known)
  }
  return known
}

/** Drops a token that became invalid because the server restarted. */
export const forget = (): void => {
  sessionStorage.removeItem(KEY)
  lending?.close()
}

/** The channel that lends the token to other tabs while it is valid. */
let lending: BroadcastChannel | undefined

const CHANNEL = "hindcast-studio"

/** Time for other tabs to answer, in milliseconds. */
const WAIT = 300

const asked = (): Promise<string | null> =>
  new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL)
    const done = (token: string | null) => {
      clearTimeout(timer)
      channel.close()
      resolve(token)
    }
    const timer = setTimeout(() => done(null), WAIT)
    channel.onmessage = ({ data }: MessageEvent<{ token?: string }>) => {
      if (typeof data.token === "string") done(data.token)
    }
    channel.postMessage({ wants: "token" })
  })

const answerOthers = (token: string): void => {
  const channel = new BroadcastChannel(CHANNEL)
  lending = channel
  channel.onmessage = ({ data }: MessageEvent<{ wants?: string }>) => {
    if (data.wants === "token") channel.postMessage({ token })
  }
}
