/** Why something could not be done, for those who see and those who hear. What it quotes is not ours: its direction stays its own. */
export const Problem = ({ text }: { readonly text: string }) =>
  text === "" ? null : (
    <p class="problem" role="alert">
      <bdi>{text}</bdi>
    </p>
  )
