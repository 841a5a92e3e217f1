/** Who is signed in to a shared Studio, the way to its other logs, and the way out. Nothing in one person's Studio. */
import { useState } from "preact/hooks"
import { messageOf } from "../source/Source.ts"
import { session, signOut } from "../source/TeamSession.ts"

export const SignedIn = () => {
  const [problem, setProblem] = useState<string | null>(null)
  const person = session.value
  if (person === null || person.account === null) return null
  return (
    <span class="signed-in">
      {person.logs.length > 1 ? (
        <a class="quiet" href="/logs">
          logs
        </a>
      ) : null}
      <bdi title="Your account">{person.account}</bdi>
      {person.by === "password" ? (
        <button
          type="button"
          class="quiet"
          onClick={() => signOut().catch((cause: unknown) => setProblem(messageOf(cause)))}
        >
          sign out
        </button>
      ) : null}
      {problem === null ? null : (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
    </span>
  )
}
