export function fillTemplates(model: object, templates: Record<string, string>): Record<string, string>;
