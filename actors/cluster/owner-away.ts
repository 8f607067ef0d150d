/** The owner of a workspace cannot be reached. The request can be sent again, in a moment. */
export class OwnerAway extends Error {
  override readonly name = 'OwnerAway'
  constructor() {
    super('The node that owns this workspace cannot be reached.')
  }
}
