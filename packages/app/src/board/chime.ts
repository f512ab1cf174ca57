let context: AudioContext | undefined;

/** Each tone: its pitch in hertz, and when it begins in seconds. */
const tones = [
  [880, 0],
  [1175, 0.16],
] as const;

/** Sounds two short tones. Silent before the first press on the page, as browsers want it, and where there is no sound. */
export function chime(): void {
  if (typeof AudioContext === 'undefined' || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  context.resume().catch(() => {});
  for (const [pitch, after] of tones) {
    const start = context.currentTime + after;
    const tone = new OscillatorNode(context, { frequency: pitch });
    const volume = new GainNode(context, { gain: 0.2 });
    // Faded: a tone that stops at once clicks.
    volume.gain.setTargetAtTime(0, start + 0.12, 0.04);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.4);
  }
}
