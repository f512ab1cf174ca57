/** The examples of turns, closed and open; in the story of the examples table. */
export function turnExamples(id: string, at: (time: string) => string): Record<string, unknown> {
  const turn = { id, batch_number: '31', started_at: at('08:00:00.000') };
  const totals = { total_orders: 112, total_collected: 3271.5 };
  return {
    Turn: { ...turn, status: 'closed', ended_at: at('23:00:00.000'), ...totals },
    OpenTurn: {
      ...turn,
      status: 'open',
      ...totals,
      methods: [
        { method: 'qr', count: 68, collected: 2151.5, refunded: 0 },
        { method: 'cash', count: 40, collected: 1120, refunded: -2 },
      ],
    },
  };
}
