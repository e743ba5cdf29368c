# Writes the discrete networks of bnRep (https://github.com/manueleleonelli/bnRep) as BIF files with plain names of states,
# for the studies that name them:
#
#   Rscript studies/bnrep.R FOLDER-OF-RDA-FILES FOLDER-FOR-BIF-FILES
#
# bnlearn's own write.bif keeps spaces and brackets in the names of states, which BIF cannot hold.
arguments <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(bnlearn))
dir.create(arguments[2], showWarnings = FALSE, recursive = TRUE)
row <- function(values) paste(format(values, digits = 12, scientific = FALSE, trim = TRUE), collapse = ", ")
for (file in list.files(arguments[1], pattern = "\\.rda$", full.names = TRUE)) {
  loaded <- new.env()
  for (name in load(file, envir = loaded)) {
    network <- get(name, envir = loaded)
    if (!inherits(network, "bn.fit") || !all(sapply(network, inherits, c("bn.fit.dnode", "bn.fit.onode")))) next
    plain <- setNames(paste0("v", seq_along(network)), names(network))
    lines <- sprintf("network %s {\n}", name)
    for (node in names(network)) {
      states <- dim(network[[node]]$prob)[1]
      lines <- c(lines, sprintf("variable %s {\n  type discrete [ %d ] { %s };\n}", plain[node], states,
                                paste0("s", seq_len(states), collapse = ", ")))
    }
    for (node in names(network)) {
      table <- network[[node]]$prob
      parents <- network[[node]]$parents
      if (length(parents) == 0) {
        lines <- c(lines, sprintf("probability ( %s ) {\n  table %s;\n}", plain[node], row(as.vector(table))))
        next
      }
      sizes <- dim(table)
      cells <- matrix(table, nrow = sizes[1])
      states <- as.matrix(expand.grid(lapply(sizes[-1], seq_len)))
      body <- sapply(seq_len(ncol(cells)), function(k)
        sprintf("  (%s) %s;", paste0("s", states[k, ], collapse = ", "), row(cells[, k])))
      lines <- c(lines, sprintf("probability ( %s | %s ) {", plain[node], paste(plain[parents], collapse = ", ")), body, "}")
    }
    writeLines(lines, file.path(arguments[2], paste0("bnrep-", name, ".bif")))
  }
}
