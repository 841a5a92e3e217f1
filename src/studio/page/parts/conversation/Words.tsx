/** Text of the conversation. */
export const Words = ({ text }: { readonly text: string; readonly isRaw?: boolean }) =>
  text === "" ? null : (
    <p class="words">
      <bdi>{text}</bdi>
    </p>
  )
