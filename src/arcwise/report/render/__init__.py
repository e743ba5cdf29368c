"""The content tree as HTML, as text, and its charts as figures."""
