/** Does nothing: that a worker took the job is what `comanda doctor` asks for. */
export const answerProbe = async (): Promise<void> => {};
