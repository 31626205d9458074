import { Button } from './button.tsx'
import { Copyable } from './copy.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'

/** What is shown this once, and by nobody ever again. */
export function SecretDialog(props: {
  readonly title: string
  readonly about: string
  readonly secret: string
  readonly onClose: () => void
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <DialogBody>
        <p>{props.about}</p>
        <div data-secret>
          <Copyable text={props.secret} />
        </div>
        <p className="text-warn">It is kept only as a trace that shows nothing: copy it now.</p>
      </DialogBody>
      <DialogFoot>
        <Button kind="primary" onClick={props.onClose}>
          I have it
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
