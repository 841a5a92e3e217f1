/** The form in which a person signs in to a shared Studio. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { messageOf, SourceFailed } from "../source/Source.ts"
import { signIn } from "../source/TeamSession.ts"

export const SignInScreen = ({ onSignedIn }: { readonly onSignedIn: () => void }) => {
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const account = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  // Before the form is painted: whoever sees it may type at once.
  useLayoutEffect(() => account.current?.focus(), [])
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setProblem(null)
    try {
      await signIn({ account: account.current?.value ?? "", password: password.current?.value ?? "" })
      onSignedIn()
    } catch (cause) {
      setProblem(wordsOf(cause))
      setBusy(false)
      if (password.current !== null) password.current.value = ""
      password.current?.focus()
    }
  }
  return (
    <main class="lost sign-in">
      <h1>Sign in to Studio</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          Account
          <input ref={account} name="account" autocomplete="username" autocapitalize="none" maxLength={200} required />
        </label>
        <label>
          Password
          <input
            ref={password}
            name="password"
            type="password"
            autocomplete="current-password"
            maxLength={1_000}
            aria-describedby="sign-in-problem"
            required
          />
        </label>
        <button type="submit" aria-disabled={busy}>
          {busy ? "Signing in …" : "Sign in"}
        </button>
        <p id="sign-in-problem" class="bad" role="alert">
          {problem}
        </p>
      </form>
    </main>
  )
}

const wordsOf = (cause: unknown): string => {
  if (!(cause instanceof SourceFailed)) return messageOf(cause)
  if (cause.code === "WrongPassword") return "This is not the name of an account with its password."
  if (cause.code === "TooManyAttempts") return "Too many attempts. Wait for a quarter of an hour, and try again."
  return cause.message
}
