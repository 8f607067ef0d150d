/**
 * Plays, pauses, seeks or mutes a video or audio, with the element as `this`: `{holds}` or `{error}`. It waits for the
 * browser, which may refuse to play, or has to fetch first.
 */
export const SET_MEDIA = `async function (wanted) {
  const text = String(wanted).trim().toLowerCase()
  const clock = (seconds) => Math.floor(seconds / 60) + ':' + String(Math.floor(seconds % 60)).padStart(2, '0')
  const soon = (event) => new Promise((resolve) => {
    this.addEventListener(event, resolve, { once: true })
    setTimeout(resolve, 2000)
  })
  const [, hours = '0', minutes, seconds] = /^(?:(\\d+):)?(\\d+):(\\d+(?:\\.\\d+)?)$/.exec(text) || []
  const at = /^\\d+(\\.\\d+)?\\s*s?$/.test(text) ? parseFloat(text) : minutes === undefined ? null : hours * 3600 + minutes * 60 + Number(seconds)
  if (at !== null) {
    if (Number.isNaN(this.duration)) {
      this.load()
      await soon('loadedmetadata')
    }
    if (Number.isNaN(this.duration)) return { error: 'cannot be loaded.' }
    if (at > this.duration) return { error: 'is ' + clock(this.duration) + ' long.' }
    const sought = soon('seeked')
    const [before, since] = [this.currentTime, performance.now()]
    this.currentTime = at
    await sought
    // A page that forbids it puts the time back as soon as it hears of it.
    await new Promise((resolve) => setTimeout(resolve, 100))
    const played = this.paused ? 0 : ((performance.now() - since) / 1000) * Math.max(1, this.playbackRate)
    if (this.currentTime < at - 1 || this.currentTime > at + played + 1)
      return { error: 'did not go to ' + clock(at) + ': it is at ' + clock(this.currentTime) + ', and was at ' + clock(before) + '.' }
  } else if (['play', 'playing', 'true'].includes(text)) {
    const error = await Promise.race([this.play().then(() => null, (error) => error), soon('playing').then(() => null)])
    if (error) return { error: 'does not play: ' + error.message }
  } else if (['pause', 'paused', 'stop', 'false'].includes(text)) this.pause()
  else if (text === 'mute' || text === 'muted') this.muted = true
  else if (text === 'unmute' || text === 'unmuted') this.muted = false
  else return { error: 'takes play, pause, mute, unmute or a time such as 1:30.' }
  const length = Number.isFinite(this.duration) ? ' of ' + clock(this.duration) : ''
  return { holds: (this.paused ? 'paused' : 'playing') + ' at ' + clock(this.currentTime) + length + (this.muted ? ', muted' : '') }
}`
